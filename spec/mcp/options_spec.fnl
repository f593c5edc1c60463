;; Tables that answer to both spellings, and options that nobody knows.

(local options (require :mcp.options))
(local raises (require :support.raises))

(local known {:max-streams :number
              :token :string
              :anything true
              :port (options.whole-number 0 65535)
              :force-sse {:later "it comes later"}})

(fn read [given]
  (options.read "Thing" given known))

(describe "options.read"
  (fn []
    (it "takes both spellings, and gives kebab-case"
      (fn []
        (assert.same {:max-streams 1} (read {:max-streams 1}))
        (assert.same {:max-streams 1} (read {:max_streams 1}))
        (assert.same {} (read {}))))
    (it "keeps false, and leaves what it was given alone"
      (fn []
        (let [given {:anything false}]
          (assert.same {:anything false} (read given))
          (assert.same {:anything false} given))))
    (it "names the unknown option, and the one that was meant"
      (fn []
        (raises "Thing has no option :max-streems (did you mean :max-streams?)"
                #(read {:max_streems 1}))
        (raises "(did you mean :token?)" #(read {:tokne "x"}))
        (let [(_ err) (pcall read {:colour 1})]
          (assert.equal "Thing has no option :colour" err))))
    (it "says what an option must be, and never what a text was"
      (fn []
        (raises "the option :token of Thing must be a string, not 5"
                #(read {:token 5}))
        (raises "must be a number, not a string"
                #(read {:max-streams "secret"}))
        (raises "must be a whole number from 0 to 65535, not 70000"
                #(read {:port 70000}))
        (raises "must be a whole number from 0 to 65535, not 1.5"
                #(read {:port 1.5}))))
    (it "says which options come later"
      (fn []
        (raises "Thing has no :force-sse yet; it comes later"
                #(read {:force_sse true}))))
    (it "refuses what is given twice, without a name, or not in a table"
      (fn []
        (raises "twice" #(read {:max-streams 1 :max_streams 1}))
        (raises "by name" #(read ["x"]))
        (raises "takes a table of options, not a string" #(read "x"))
        (raises "not a nil" #(read nil))))))

(describe "a validator"
  (fn []
    (it "knows its limits"
      (fn []
        (let [port (options.whole-number 0 65535)]
          (each [_ [value ok?] (ipairs [[0 true] [65535 true] [-1 false]
                                        [65536 false] [0.5 false] ["1" false]
                                        [(/ 0 0) false]])]
            (assert.equal ok? (pick-values 1 (port value)))))
        (each [_ [f value ok?] (ipairs [[options.positive 0.1 true]
                                        [options.positive 0 false]
                                        [options.not-negative 0 true]
                                        [options.not-negative -1 false]
                                        [options.strings [] true]
                                        [options.strings ["a" "b"] true]
                                        [options.strings ["a" 1] false]
                                        [options.strings "a" false]])]
          (assert.equal ok? (pick-values 1 (f value))))))))

(describe "options.both-cases"
  (fn []
    (it "adds the other spelling, without the question mark"
      (fn []
        (let [f #nil
              t {:on-cancel f :cancelled? f :meta 1}]
          (assert.equal t (options.both-cases t))
          (assert.same {:on-cancel f :on_cancel f :cancelled? f :cancelled f
                        :meta 1}
                       t))))
    (it "does not write over what is there"
      (fn []
        (assert.same {:a-b 1 :a_b 2} (options.both-cases {:a-b 1 :a_b 2}))))))
