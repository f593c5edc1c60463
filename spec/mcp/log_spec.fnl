;; The logger.

(local {: create-logger : line} (require :mcp.log))

(describe "a logger"
  (fn []
    (it "gives records to a function"
      (fn []
        (let [records []
              log (create-logger #(table.insert records $))]
          (log.info :started {:port 1})
          (log.warn :careful)
          (assert.same [{:level :info :event :started :fields {:port 1}}
                        {:level :warn :event :careful :fields {}}]
                       records))))
    (it "has four levels"
      (fn []
        (let [levels []
              log (create-logger #(table.insert levels $.level))]
          (log.debug :x)
          (log.info :x)
          (log.warn :x)
          (log.error :x)
          (assert.same [:debug :info :warn :error] levels))))
    (it "never tells secrets"
      (fn []
        (let [records []
              log (create-logger #(table.insert records $))]
          (log.info :x {:token "t" :authorization "a" :query "q" :arguments {}
                        :tool "ok"})
          (assert.same {:tool "ok"} (. records 1 :fields)))))
    (it "survives what its function raises"
      (fn []
        (let [log (create-logger #(error "no space left"))]
          (log.error :x))))
    (it "may be for nobody"
      (fn []
        (: (create-logger false) :error :x)))
    (it "writes warnings and errors to stderr, and nothing else, by itself"
      (fn []
        (let [real io.stderr
              written []
              log (create-logger)]
          (set io.stderr {:write #(table.insert written $2)})
          (let [(ok? err) (pcall #(do (log.debug :a)
                                      (log.info :b)
                                      (log.warn :c {:n 1})
                                      (log.error :d)))]
            (set io.stderr real)
            (assert ok? err))
          (assert.same ["mcp: warn: c n=1\n" "mcp: error: d\n"] written))))))

(describe "a line"
  (fn []
    (fn written [fields]
      (line {:level :warn :event :tool-raised : fields}))
    (it "has its fields in order"
      (fn []
        (assert.equal "mcp: warn: tool-raised a=1 b=true c=x\n"
                      (written {:c "x" :b true :a 1}))))
    (it "is one line, and not a long one"
      (fn []
        (assert.equal "mcp: warn: tool-raised error=a\\10b\\27[2J\n"
                      (written {:error "a\nb\27[2J"}))
        (assert.is_true (< (length (written {:error (string.rep "x" 1e6)}))
                           300))))
    (it "is followed by a traceback, as it is"
      (fn []
        (assert.equal (.. "mcp: warn: tool-raised tool=t\n"
                          "stack traceback:\n\tx.fnl:1\n")
                      (written {:tool "t"
                                :traceback "stack traceback:\n\tx.fnl:1"}))))))
