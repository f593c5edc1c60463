;; mcp.run-loop: for programs without a frame loop of their own. It sleeps in
;; the native wait, and costs nothing while nobody wants anything.

(local options (require :mcp.options))

(fn left [?deadline now]
  "Seconds until then; nil if there is no then."
  (if ?deadline (math.max 0 (- ?deadline now))))

(fn run-loop [?given]
  "Serves until something ends it. Options, in either spelling:

  :until    a function; ends the loop once it returns true. It is asked after
            each dispatch. (Plain Lua spells this key [\"until\"].)
  :timeout  seconds after which the loop ends
  :poll     a function to call on each round

Returns true when `until` ended it, and false for the timeout. An error in
either function, and the interpreter's own \"interrupted!\" for Ctrl-C, goes
through."
  (let [{: until : timeout : poll} (options.read
                                     "run-loop" (or ?given {})
                                     {:until :function
                                      :timeout options.not-negative
                                      :poll :function})
        {: http_server} (require :mcp.native)
        deadline (if timeout (+ (http_server.now) timeout))]
    (var result nil)
    (while (= result nil)
      (http_server.dispatch)
      (when poll
        (poll))
      (if (and until (until)) (set result true)
          (and deadline (<= deadline (http_server.now))) (set result false)
          (http_server.wait (left deadline (http_server.now)))))
    result))

{: run-loop :run_loop run-loop}
