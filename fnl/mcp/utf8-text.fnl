;; mcp.utf8-text: whether bytes are UTF-8 (RFC 3629). For texts that are
;; checked once, when a program registers them; the JSON bridge checks the rest.

(fn width [lead second]
  "How many bytes a character has that begins so, or nil if none does: no
overlong forms, no surrogates, nothing past U+10FFFF."
  (let [second? (fn [low high] (<= low second high))]
    (if (< lead 128) 1
        (<= 194 lead 223) (if (second? 128 191) 2)
        (= lead 224) (if (second? 160 191) 3)
        (= lead 237) (if (second? 128 159) 3)
        (<= 225 lead 239) (if (second? 128 191) 3)
        (= lead 240) (if (second? 144 191) 4)
        (<= 241 lead 243) (if (second? 128 191) 4)
        (= lead 244) (if (second? 128 143) 4))))

(fn character-end [text at]
  "Where the character at `at` ends; nil if there is none."
  (let [size (width (text:byte at) (or (text:byte (+ at 1)) 0))]
    (if (and size
             (faccumulate [ok? true i (+ at 2) (+ at size -1)]
               (and ok? (<= 128 (or (text:byte i) 0) 191))))
        (+ at size -1))))

(fn valid? [text]
  "Whether a string is UTF-8."
  (var at (if (text:find "[\128-\255]") 1 (+ (length text) 1)))
  (while (and at (<= at (length text)))
    (case (character-end text at)
      last (set at (+ last 1))
      _ (set at nil)))
  (not= at nil))

{: valid?}
