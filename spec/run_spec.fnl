;; spec.run: the specs' runner fails where it must, and says where.

(fn run [text]
  "Runs a spec of that text the way we are run; what it said, with its exit
status at the end."
  (let [name (os.tmpname)
        file (.. name ".fnl")
        command (string.format "%s %s %s fnl %s 2>&1; echo status $?"
                               (. arg -2) (. arg -1) (. arg 0) file)]
    (with-open [spec (assert (io.open file :w))]
      (spec:write text))
    (let [said (with-open [pipe (assert (io.popen command))]
                 (pipe:read :*a))]
      (os.remove name)
      (os.remove file)
      said)))

(fn has [said ...]
  (each [_ text (ipairs [...])]
    (when (not (said:find text 1 true))
      (error (string.format "expected %q in: %s" text said) 2))))

(describe "spec/run.fnl"
  (fn []
    (it "passes a spec that holds"
      (fn []
        (has (run "(it :holds #(assert.equal 1 1))")
             "1 success / 0 failures / 0 errors" "status 0")))
    (it "gives the line of an assertion, though it is a tail call"
      (fn []
        (has (run "(it :a\n  #(let [x 1]\n     (assert.equal x 2)))")
             "1 failure " ".fnl:3: Expected" "status 1")
        (has (run "(it :a\n  #(assert.equal 2\n                 1))")
             "1 failure " ".fnl:2: Expected" "status 1")))
    (it "gives the line of an error"
      (fn []
        (has (run "(it :a\n #(let [t {}]\n    (t.x)\n    1))")
             "1 error " ".fnl:3: attempt to call" "status 1")))
    (it "gives the line of an error inside a module"
      (fn []
        (has (run (.. "(local {: fall} (require :support.pitfall))\n"
                      "(it :a #(fall))"))
             "1 error " "spec/support/pitfall.fnl:9: attempt" "status 1")))
    (it "fails a global that a test leaves, also behind a pcall"
      (fn []
        (has (run "(it :a\n  #(set _G.left 1))")
             "1 error " ".fnl:2: stray global: left" "status 1")
        (has (run "(it :a\n  #(pcall #(do (set _G.left 1) (error :x))))")
             "1 error " ".fnl:2: stray global: left" "status 1")))
    (it "fails a global that is left outside of any test"
      (fn []
        (has (run "\n(set _G.left 1)\n(describe :a #nil)")
             "1 error " "stray global: left" "status 1")
        (has (run "(global left 1)\n(it :a #nil)")
             "1 error " "stray global" "status 1")))
    (it "fails a name that nobody knows, before anything runs"
      (fn []
        (has (run "(it :a\n  #(nobody))")
             "1 error " ".fnl:2:" "unknown identifier: nobody" "status 1")))
    (it "fails a file that does not parse"
      (fn []
        (has (run "(it :a") "1 error " "Parse error" "status 1")))))
