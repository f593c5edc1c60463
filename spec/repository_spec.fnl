;; spec.repository: what is true of the repository as a whole.

(local fennel (require :fennel))

(fn lines-of [command]
  (with-open [pipe (assert (io.popen command))]
    (icollect [line (pipe:lines)] line)))

(fn read-file [name]
  (with-open [file (assert (io.open name :rb))]
    (file:read :*a)))

(fn words [text]
  (icollect [word (text:gmatch "%S+")] word))

(fn tracked [...]
  "The files that git knows under these names, also in a repository that is
somebody else's, as in some containers."
  (let [names (table.concat (icollect [_ name (ipairs [...])]
                              (.. "'" name "'"))
                            " ")]
    (lines-of (.. "git -c safe.directory='*' ls-files -- " names))))

(fn matches-any? [text patterns]
  (accumulate [found false _ pattern (ipairs patterns) &until found]
    (not= nil (text:find pattern))))

(fn without [files ...]
  "The files whose names match none of the patterns."
  (icollect [_ file (ipairs files)]
    (when (not (matches-any? file [...]))
      file)))

(fn find-all [files pattern]
  "`file:line: text` of every line that the pattern is found in."
  (let [found []]
    (each [_ file (ipairs files)]
      (var number 0)
      (each [line (: (read-file file) :gmatch "([^\n]*)\n?")]
        (set number (+ number 1))
        (when (line:find pattern)
          (table.insert found (string.format "%s:%d: %s" file number line)))))
    found))

(fn starts-with [file text]
  (assert.equal text (: (read-file file) :sub 1 (length text)) file))

(fn module-sources []
  (without (tracked "fnl/*.fnl") "macros%.fnl$"))

(describe "lua/"
  (fn []
    (it "has a twin of every module of fnl/, and nothing else"
      (fn []
        (assert.same (icollect [_ file (ipairs (module-sources))]
                       (pick-values 1 (file:gsub "^fnl/(.*)fnl$" "lua/%1lua")))
                     (tracked "lua/*"))))
    (it "says on its first lines what it was made from"
      (fn []
        (each [_ twin (ipairs (tracked "lua/*"))]
          (starts-with twin
                       (.. "--[[ Generated from "
                           (twin:gsub "^lua/(.*)lua$" "fnl/%1fnl")
                           " by make lua; do not edit. ]]")))))))

(describe "the tracked files"
  (fn []
    (it "name no package registry's host"
      (fn []
        ;; In pieces, as this file is one of them. What cargo writes into its
        ;; own lock file is cargo's.
        (each [_ [name domain] (ipairs [[:crates :io] [:pypi :org]
                                        [:pythonhosted :org] [:npmjs :org]
                                        [:npmjs :com] [:luarocks :org]
                                        [:debian :org] [:debian :net]])]
          (assert.same [] (find-all (without (tracked) "^Cargo.lock$")
                                    (.. name "%." domain))))))
    (it "name no place on somebody's machine"
      (fn []
        (each [_ place (ipairs [:root :home :work :Users])]
          (assert.same [] (find-all (tracked) (.. "/" place "/[%w_.-]"))))))
    (it "have no blanks at the end of a line, and a newline at their own"
      (fn []
        (let [files (without (tracked) "%.md$" "^lua/")]
          (assert.same [] (find-all files "[ \t\r]$"))
          (each [_ file (ipairs files)]
            (assert.equal "\n" (: (read-file file) :sub -1) file)))))
    (it "link to files that exist"
      (fn []
        (each [_ file (ipairs (tracked "*.md"))]
          (each [link (: (read-file file) :gmatch "%]%(([^)#%s]+)")]
            (when (not (link:find "^%a+:"))
              (let [target (.. (or (file:match "^.*/") "") link)]
                (assert.is_truthy (io.open target)
                                  (.. file " links to " link))))))))))

(describe "the Fennel files"
  (fn []
    (it "say first what they are for; modules, by their name"
      (fn []
        (each [_ file (ipairs (tracked "*.fnl"))]
          (starts-with file ";; "))
        (each [_ file (ipairs (module-sources))]
          (let [name (-> (file:match "^fnl/(.*)%.fnl$")
                         (: :gsub "/init$" "")
                         (: :gsub "/" "."))]
            (starts-with file (.. ";; " name ": "))))))
    (it "have lines of at most 80 characters"
      (fn []
        (let [too-long (string.rep "[^\128-\191][\128-\191]*" 81)
              files (without (tracked "*.fnl") "^flsproject")]
          (assert.same [] (find-all files too-long)))))
    (it "declare no global"
      (fn []
        (assert.same [] (find-all (module-sources) "%(global "))))
    (it "that know no transport do not ask for the native library"
      (fn []
        (let [names [:protocol :revisions :registry :handler :call
                     :server-http :json-marks]
              files (icollect [_ name (ipairs names)]
                      (.. "fnl/mcp/" name ".fnl"))]
          (assert.same [] (find-all (tracked (table.concat files "' '"))
                                    ":mcp%.native")))))
    (it "are understood by fennel-ls with the globals that specs have"
      (fn []
        (let [settings (fennel.eval (read-file :flsproject.fnl))]
          (assert.same (words (read-file :tools/globals-spec.txt))
                       (words settings.extra-globals)))))))

(describe "the Rust files"
  (fn []
    (it "are unsafe in src/lua and src/bridge alone"
      (fn []
        (let [files (without (tracked "*.rs") "^src/lua/" "^src/bridge/")]
          (assert.same [] (find-all files "%f[%a]unsafe [{fie]")))))
    (it "name mlua in src/lua and at the door alone"
      (fn []
        (let [files (without (tracked "src/*.rs") "^src/lua/" "^src/lib.rs$")]
          (assert.same [] (find-all files "mlua::")))))))

(describe "CHANGELOG.md"
  (fn []
    (it "knows the version of Cargo.toml"
      (fn []
        (let [version (: (read-file :Cargo.toml) :match "\nversion = \"(.-)\"")
              heading (.. "\n## [" version "]")]
          (assert.is_truthy (: (read-file :CHANGELOG.md) :find heading 1 true)
                            heading))))))

(describe "the client suites' lock files"
  (fn []
    (it "pin every package, and name no place to get it from"
      (fn []
        (assert.same [] (find-all (tracked "*/package-lock.json")
                                  "\"resolved\":"))
        (each [_ file (ipairs (tracked "*/requirements.txt"))]
          (each [_ line (ipairs (lines-of (.. "cat " file)))]
            (assert.is_truthy (line:find "^[%w_.-]+==[%w.]+$") line)))))))
