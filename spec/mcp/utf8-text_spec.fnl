;; RFC 3629, at its borders.

(local {: valid?} (require :mcp.utf8-text))

(describe "a text"
  (fn []
    (it "is UTF-8"
      (fn []
        (each [_ text (ipairs ["" "plain" "\0" "\127" "é" "\194\128"
                               "\223\191" "€" "\224\160\128" "\237\159\191"
                               "\238\128\128" "\239\191\191" "😀"
                               "\240\144\128\128" "\244\143\191\191" "aé€😀z"])]
          (assert.is_true (valid? text) (string.format "%q" text)))))
    (it "is not: cut, overlong, a surrogate, too high, or out of place"
      (fn []
        (each [_ text (ipairs ["\128" "\255\254" "a\195" "\226\130"
                               "\240\159\152" "\192\128" "\193\191"
                               "\224\159\191"
                               "\237\160\128" "\240\143\191\191"
                               "\244\144\128\128" "\245\128\128\128"
                               "\195a" "\226\130a" "é\191"])]
          (assert.is_false (valid? text) (string.format "%q" text)))))))
