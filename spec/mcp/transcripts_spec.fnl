;; Rules of the wire, as client and server speak: spec/transcripts.

(local {: replay} (require :support.transcripts))

(local names [:content :envelope :lifecycle :sessions :tools :versions])

(describe "the transcript"
  (fn []
    (each [_ name (ipairs names)]
      (it (.. name ".txt is what the server says")
        (fn []
          (let [file (.. "spec/transcripts/" name ".txt")
                results (replay file)]
            (assert.is_true (< 0 (length results)))
            (each [_ {: line : expected : actual} (ipairs results)]
              (assert.equal expected actual (.. file ":" line)))))))))
