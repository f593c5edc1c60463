;; mcp.call: running calls. Each is a coroutine on the program's own thread,
;; which sleeps between two of its frames. Only the functions here write to a
;; call or to the lists of those that run and wait.

(local options (require :mcp.options))

;; A call that waits for the next frame is not resumed sooner than this: a
;; program that sleeps until something is due must be able to sleep. No frame
;; loop is quicker.
(local shortest-frame 0.001)

;; What a waiting handler yields; anything else is a handler that yields by
;; itself, to nobody.
(local wait-mark {})

;; The life of a call

(fn finish [self call kind ?a ?b]
  "Ends a call, once: whoever waits for it is told how."
  (when (not call.ended)
    (set call.ended kind)
    (tset self.waiting call nil)
    (tset self.running call nil)
    (set self.size (- self.size 1))
    ;; Lua 5.4 has variables that want to be closed.
    (when (and coroutine.close (= :suspended (coroutine.status call.thread)))
      (coroutine.close call.thread))
    (call.on-done kind ?a ?b)))

(fn park [self call seconds]
  "Lets a call sleep until its time has come, or its deadline."
  (let [due (+ (self.now) seconds)]
    (set call.due (math.min due (or call.deadline due)))
    (set self.serial (+ self.serial 1))
    (set call.place self.serial)
    (tset self.waiting call true)))

(fn step [self call ...]
  "Runs a call until it sleeps or ends."
  (let [thread call.thread
        (ok? first second) (coroutine.resume thread ...)]
    (if (not ok?)
        (finish self call :raised first (debug.traceback thread))
        (= :dead (coroutine.status thread))
        (finish self call :returned first second)
        ;; It was cancelled by what it did itself.
        call.ended nil
        (= first wait-mark)
        (park self call second)
        (finish self call :raised
                (.. "the handler yielded by itself; ctx.sleep and "
                    "ctx.next-frame are the ways to wait")
                (debug.traceback thread)))))

;; What a handler gets

(local plain-5-1? (and (= _VERSION "Lua 5.1") (not (rawget _G :jit))))

(fn c-function-above? []
  "Whether a C function such as pcall is on the stack between a handler and the
function that asks. In plain Lua 5.1 no coroutine can yield across it."
  (var (found level) (values false 3))
  (var info (debug.getinfo level :S))
  (while (and info (not found))
    (set found (= info.what :C))
    (set level (+ level 1))
    (set info (debug.getinfo level :S)))
  found)

;; These two end with nil: a tail call of `error` would leave no frame to count
;; its level from.

(fn check-can-wait [call]
  "Raises, with the place in the handler, where it cannot wait."
  (when (not= call.thread (coroutine.running))
    (error (.. "a handler can only wait in its own coroutine, while it is "
               "running")
           3))
  (when (and plain-5-1? (c-function-above?))
    (error (.. "plain Lua 5.1 cannot wait inside pcall or another C function; "
               "wait outside, or use LuaJIT or Lua 5.4")
           3))
  nil)

(fn check-seconds [seconds]
  (when (not (and (= (type seconds) :number) (<= 0 seconds)
                  (< seconds math.huge)))
    (error (.. "ctx.sleep takes a number of seconds, not " (tostring seconds))
           3))
  nil)

(fn create-context [call fields]
  "What a handler gets as `ctx`, in both spellings. Its functions are called
with a dot.

  (ctx.sleep seconds)    gives the thread back to the program for a while
  (ctx.next-frame)       the same, until a later dispatch
  (ctx.cancelled?)       whether nobody wants the result any more
  (ctx.on-cancel f)      calls f when that happens

`fields` are more of them, of the request."
  (let [ctx {:sleep (fn [seconds]
                      (check-can-wait call)
                      (check-seconds seconds)
                      (coroutine.yield wait-mark seconds)
                      nil)
             :next-frame (fn []
                           (check-can-wait call)
                           (coroutine.yield wait-mark shortest-frame)
                           nil)
             :cancelled? #(= call.ended :cancelled)
             :on-cancel (fn [f] (table.insert call.on-cancel f) nil)}]
    (each [name value (pairs fields)]
      (tset ctx name value))
    (options.both-cases ctx)))

;; For whoever starts calls, and the clock

(fn start [self {: id : run : args : timeout : fields : on-done}]
  "Begins a call and runs it until it sleeps or ends.

  :id        what whoever starts it knows it by; kept as call.id
  :run       the handler: (run args ctx)
  :args      its first argument
  :fields    more fields for ctx
  :timeout   seconds after which it is given up, or nil; that is looked at when
             the handler waits
  :on-done   called once, maybe before this returns, with
               :returned value message
               :raised error traceback
               :timed-out
               :cancelled

Returns the call; nil and a message when too many are running."
  (if (<= self.cap self.size)
      (values nil (string.format
                    "%d calls are running already, the most there may be; %s"
                    self.size "try again later"))
      (let [call {: id
                  :thread (coroutine.create run)
                  : on-done
                  :on-cancel []
                  :deadline (if timeout (+ (self.now) timeout))}]
        (tset self.running call true)
        (set self.size (+ self.size 1))
        (step self call args (create-context call fields))
        call)))

(fn cancel [self call]
  "Ends a call that nobody waits for any more. What `on-cancel` was given runs
when it counts as cancelled; an error in it ends nothing. A handler that is
running meanwhile goes on to its next wait."
  (when (not call.ended)
    (finish self call :cancelled)
    (each [_ f (ipairs call.on-cancel)]
      (pcall f))))

(fn cancel-all [self]
  "Ends every call."
  (each [_ call (ipairs (icollect [call (pairs self.running)] call))]
    (cancel self call)))

(fn due-calls [self now]
  "The calls whose time has come, those first that began to wait first."
  (let [due (icollect [call (pairs self.waiting)]
              (if (<= call.due now) call))]
    (table.sort due #(< $1.place $2.place))
    due))

(fn tick [self]
  "Resumes every call whose time has come, once. One that is out of time is
given up instead."
  (let [now (self.now)]
    (each [_ call (ipairs (due-calls self now))]
      ;; One before it may have ended it.
      (when (. self.waiting call)
        (tset self.waiting call nil)
        (if (and call.deadline (<= call.deadline now))
            (finish self call :timed-out)
            (step self call))))))

(fn next-due [self]
  "When `tick` has something to do next, or nil."
  (accumulate [soonest nil call (pairs self.waiting)]
    (math.min call.due (or soonest call.due))))

(fn create-calls [{: now : cap}]
  "The running calls of a server: `now` is its clock in seconds, `cap` how many
there may be at once."
  {: now
   : cap
   :size 0
   :serial 0
   :running {}
   :waiting {}
   : start
   : cancel
   : cancel-all
   : tick
   : next-due})

{: create-calls}
