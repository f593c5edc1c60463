;; The loop for programs that have none, over a fake of the engine.

(local raises (require :support.raises))
(local {: run-loop &as module} (require :mcp.run-loop))

(var time 0)
(var log [])

(fn wait [seconds]
  "Time passes, all of it."
  (table.insert log (or seconds :forever))
  (set time (+ time (or seconds 1)))
  true)

(local http_server {:now #time
                    :dispatch #(table.insert log :dispatch)
                    : wait})

(describe "run-loop"
  (fn []
    (var real nil)
    (before_each #(do (set (time log) (values 0 []))
                      (set real (. package.loaded :mcp.native))
                      (tset package.loaded :mcp.native {: http_server})))
    (after_each #(tset package.loaded :mcp.native real))
    (it "dispatches, and sleeps in between, until it should not"
      (fn []
        (var rounds 0)
        (assert.is_true (run-loop {:until #(do (set rounds (+ rounds 1))
                                               (= rounds 3))}))
        (assert.same [:dispatch :forever :dispatch :forever :dispatch] log)))
    (it "ends at its time, and says that it was that"
      (fn []
        (assert.is_false (run-loop {:timeout 2 :until #false}))
        (assert.same [:dispatch 2 :dispatch] log)))
    (it "with no time at all dispatches once"
      (fn []
        (assert.is_false (run-loop {:timeout 0}))
        (assert.same [:dispatch] log)))
    (it "prefers what was waited for, if it comes in the end"
      (fn []
        (assert.is_true (run-loop {:timeout 0 :until #true}))))
    (it "polls on each round"
      (fn []
        (run-loop {:timeout 1 :poll #(table.insert log :poll)})
        (assert.same [:dispatch :poll 1 :dispatch :poll] log)))
    (it "waits only for what is left when it is woken early"
      (fn []
        (var woken false)
        (set http_server.wait (fn [seconds]
                                (if woken (wait seconds)
                                    (do (set woken true)
                                        (wait 0.5)))))
        (run-loop {:timeout 2})
        (set http_server.wait wait)
        (assert.same [:dispatch 0.5 :dispatch 1.5 :dispatch] log)))
    (it "lets errors through, Ctrl-C among them"
      (fn []
        (raises "mine" #(run-loop {:poll #(error "mine")}))
        (set http_server.wait #(error "interrupted!"))
        (raises "interrupted!" #(run-loop))
        (set http_server.wait wait)))
    (it "takes no nonsense"
      (fn []
        (raises "run-loop has no option :untl (did you mean :until?)"
                #(run-loop {:untl #true}))
        (raises ":timeout of run-loop must be a number from 0"
                #(run-loop {:timeout -1}))))
    (it "has both spellings"
      (fn []
        (assert.equal run-loop module.run_loop)))))
