;; spec.readme: what README shows is what runs.

(fn read-file [name]
  (with-open [file (assert (io.open name :rb))]
    (file:read :*a)))

(describe "README"
  (fn []
    (it "shows the ten-line programs as they are"
      (fn []
        (let [readme (read-file :README.md)]
          (each [_ [language mark] (ipairs [[:lua "%-%-"] [:fnl ";;"]])]
            (let [program (read-file (.. :examples/ten-lines/server. language))
                  ;; Without the comment on how to run it.
                  remark (.. "^" mark "[^\n]*\n")]
              (var text program)
              (while (text:find remark)
                (set text (pick-values 1 (text:gsub remark ""))))
              (assert.is_truthy (readme:find (.. "\n" text "```") 1 true)
                                (.. "server." language)))))))))
