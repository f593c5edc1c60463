;; support.raises: asserts that a function raises, and that the message says
;; something.

(local assert (require :luassert))

(fn raises [part f]
  (let [(ok? err) (pcall f)]
    (assert.is_false ok? (.. "nothing raised about " part))
    (assert.same :string (type err))
    (assert.is_truthy (err:find part 1 true)
                      (.. "'" err "' should say '" part "'"))))

raises
