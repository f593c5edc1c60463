;; Running calls, with a clock that the test moves.

(local {: create-calls} (require :mcp.call))

(var time 0)

(fn create [?cap]
  (set time 0)
  (create-calls {:now #time :cap (or ?cap 10)}))

(fn start [calls run ?more]
  "Starts a call that notes how it ends. → the notes, and what start returned."
  (let [ends []
        spec {: run :args {} :fields {} :on-done #(table.insert ends [$...])}]
    (collect [name value (pairs (or ?more {})) &into spec]
      name value)
    (values ends (calls:start spec))))

(fn pass [calls seconds]
  (set time (+ time seconds))
  (calls:tick))

(describe "a call"
  (fn []
    (it "that does not wait is over when it was started"
      (fn []
        (let [calls (create)
              (ends call) (start calls (fn [args] (values args.a "b"))
                                 {:args {:a 1}})]
          (assert.same [[:returned 1 "b"]] ends)
          (assert.is_truthy call)
          (assert.equal 0 calls.size)
          (assert.is_nil (calls:next-due)))))
    (it "sleeps, and goes on when its time has come"
      (fn []
        (let [calls (create)
              ends (start calls (fn [_ ctx] (ctx.sleep 1) (ctx.sleep 2) :done))]
          (assert.equal 1 (calls:next-due))
          (pass calls 0.5)
          (assert.equal 1 calls.size)
          (pass calls 0.5)
          (assert.equal 3 (calls:next-due))
          (pass calls 2)
          (assert.same [[:returned :done]] ends)
          (assert.equal 0 calls.size))))
    (it "goes on once a tick, however late it is"
      (fn []
        (let [calls (create)]
          (var steps 0)
          (start calls (fn [_ ctx]
                         (while true
                           (set steps (+ steps 1))
                           (ctx.sleep 0))))
          (pass calls 100)
          (assert.equal 2 steps)
          (pass calls 0)
          (assert.equal 3 steps))))
    (it "waits for a later frame, so that a program can sleep in between"
      (fn []
        (let [calls (create)
              ends (start calls (fn [_ ctx] (ctx.next-frame) :done))]
          (calls:tick)
          (assert.same [] ends)
          (assert.is_true (< 0 (calls:next-due) 0.004))
          (pass calls 0.004)
          (assert.same [[:returned :done]] ends))))
    (it "goes on before others that began to wait later"
      (fn []
        (let [calls (create)
              order []]
          (each [_ [name seconds] (ipairs [[:a 3] [:b 1] [:c 2]])]
            (start calls (fn [_ ctx]
                           (ctx.sleep seconds)
                           (table.insert order name))))
          (pass calls 5)
          (assert.same [:a :b :c] order))))
    (it "that raises ends with what it raised, and where"
      (fn []
        (let [calls (create)]
          (each [_ run (ipairs [#(error :boom 0)
                                (fn [_ ctx] (ctx.sleep 1) (error :boom 0))])]
            (let [ends (start calls run)]
              (pass calls 1)
              (let [[[kind err traceback]] ends]
                (assert.same [:raised :boom] [kind err])
                (assert.is_truthy (traceback:find "stack traceback")))))
          (assert.equal 0 calls.size))))
    (it "may raise anything"
      (fn []
        (let [calls (create)
              thing {}]
          (assert.equal thing (. (start calls #(error thing)) 1 2))
          (assert.equal :raised (. (start calls #(error nil)) 1 1))
          (let [(ends) (start calls #(let [f (fn f [n] (+ 1 (f n)))] (f 1)))]
            (assert.is_truthy (: (. ends 1 2) :find "stack overflow"))))))
    (it "that yields by itself is told how to wait"
      (fn []
        (let [calls (create)
              ends (start calls #(coroutine.yield 5))]
          (assert.equal :raised (. ends 1 1))
          (assert.is_truthy (: (. ends 1 2) :find "ctx.sleep" 1 true))
          (assert.equal 0 calls.size))))))

(describe "a call's limit"
  (fn []
    (it "ends it when it waits for too long"
      (fn []
        (let [calls (create)
              ends (start calls (fn [_ ctx] (ctx.sleep 60)) {:timeout 2})]
          (assert.equal 2 (calls:next-due))
          (pass calls 1.9)
          (assert.same [] ends)
          (pass calls 0.1)
          (assert.same [[:timed-out]] ends)
          (assert.equal 0 calls.size))))
    (it "counts from its start, over all its sleeps"
      (fn []
        (let [calls (create)
              ends (start calls (fn [_ ctx] (while true (ctx.sleep 1)))
                          {:timeout 2.5})]
          (for [_ 1 2]
            (pass calls 1))
          (assert.same [] ends)
          (pass calls 0.5)
          (assert.same [[:timed-out]] ends))))
    (it "does not matter to one that is done in time"
      (fn []
        (let [calls (create)
              ends (start calls (fn [_ ctx] (ctx.sleep 1) :done) {:timeout 2})]
          (pass calls 1)
          (pass calls 9)
          (assert.same [[:returned :done]] ends))))))

(describe "cancelling"
  (fn []
    (it "ends a call that waits, once, and tells it"
      (fn []
        (let [calls (create)
              told []]
          (var ctx nil)
          (let [(ends call) (start calls (fn [_ c]
                                           (set ctx c)
                                           (c.on-cancel #(error "ignored"))
                                           (c.on-cancel
                                             #(table.insert told
                                                            (c.cancelled?)))
                                           (c.sleep 1)
                                           (error "not reached")))]
            (assert.is_false (ctx.cancelled?))
            (calls:cancel call)
            (calls:cancel call)
            (assert.same [[:cancelled]] ends)
            (assert.same [true] told)
            (assert.equal 0 calls.size)
            (pass calls 9)
            (assert.same [[:cancelled]] ends)))))
    (it "does nothing to one that is over"
      (fn []
        (let [calls (create)
              (ends call) (start calls #:done)]
          (calls:cancel call)
          (assert.same [[:returned :done]] ends))))
    (it "from inside lets the handler go on to its next wait"
      (fn []
        (let [calls (create)
              (ends call) (start calls (fn [_ ctx]
                                         (ctx.sleep 1)
                                         (calls:cancel-all)
                                         (assert (ctx.cancelled?))
                                         (ctx.sleep 1)
                                         (error "not reached")))]
          (pass calls 1)
          (assert.same [[:cancelled]] ends)
          (assert.same [0 nil] [calls.size (calls:next-due)]))))
    (it "by one call keeps another, due at the same time, from going on"
      (fn []
        (let [calls (create)]
          (var second nil)
          (start calls (fn [_ ctx] (ctx.sleep 1) (calls:cancel second)))
          (let [(ends call) (start calls (fn [_ ctx] (ctx.sleep 1) :done))]
            (set second call)
            (pass calls 1)
            (assert.same [[:cancelled]] ends)))))
    (it "can end all"
      (fn []
        (let [calls (create)
              a (start calls (fn [_ ctx] (ctx.sleep 1)))
              b (start calls (fn [_ ctx] (ctx.sleep 2)))]
          (calls:cancel-all)
          (assert.same [[[:cancelled]] [[:cancelled]]] [a b])
          (assert.equal 0 calls.size))))))

(describe "the number of calls"
  (fn []
    (it "has a limit, which lets others in when one ends"
      (fn []
        (let [calls (create 2)
              sleep (fn [_ ctx] (ctx.sleep 1))]
          (start calls sleep)
          (start calls sleep)
          (let [(ends call why) (start calls sleep)]
            (assert.is_nil call)
            (assert.is_truthy (why:find "2 calls are running already" 1 true))
            (assert.same [] ends))
          (pass calls 1)
          (assert.is_truthy (select 2 (start calls sleep))))))
    (it "does not grow by handlers that start calls"
      (fn []
        (let [calls (create 2)]
          (var depth 0)
          (fn again [_ ctx]
            (set depth (+ depth 1))
            (start calls again)
            :done)
          (start calls again)
          (assert.equal 2 depth)
          (assert.equal 0 calls.size))))))

(describe "ctx"
  (fn []
    (fn context [?fields]
      (var ctx nil)
      (start (create) (fn [_ c] (set ctx c)) {:fields ?fields})
      ctx)
    (it "has the request's fields, and both spellings"
      (fn []
        (let [ctx (context {:meta {:a 1}})]
          (assert.same {:a 1} ctx.meta)
          (each [kebab snake (pairs {:next-frame :next_frame
                                     :cancelled? :cancelled
                                     :on-cancel :on_cancel})]
            (assert.equal :function (type (. ctx kebab)))
            (assert.equal (. ctx kebab) (. ctx snake))))))
    (it "says where the handler was wrong about it"
      (fn []
        (each [_ seconds (ipairs [-1 "1" {} (/ 1 0) (/ 0 0)])]
          (let [ends (start (create) (fn [_ ctx] (ctx.sleep seconds) nil))]
            (assert.is_truthy (: (. ends 1 2) :find
                                 "call_spec.fnl:%d+: ctx.sleep takes a number")
                              (. ends 1 2))))
        (let [ends (start (create) (fn [_ ctx] (ctx.sleep) nil))]
          (assert.is_truthy (: (. ends 1 2) :find "not nil" 1 true)))))
    (it "cannot wait outside of its own coroutine"
      (fn []
        (let [ctx (context)
              inner (fn [_ ctx]
                      (let [thread (coroutine.create #(ctx.sleep 1))
                            (_ err) (coroutine.resume thread)]
                        (error err 0)))]
          (each [_ f (ipairs [ctx.sleep ctx.next-frame])]
            (let [(ok? err) (pcall f 1)]
              (assert.is_false ok?)
              (assert.is_truthy (err:find "in its own coroutine" 1 true))))
          (let [ends (start (create) inner)]
            (assert.is_truthy (: (. ends 1 2) :find "in its own coroutine" 1
                                 true))))))
    (it "waits inside pcall where the VM can, and else says that it cannot"
      (fn []
        (let [calls (create)
              ends (start calls (fn [_ ctx]
                                  (let [(ok? err) (pcall ctx.sleep 1)]
                                    (if ok? :slept err))))]
          (pass calls 1)
          (if (and (= _VERSION "Lua 5.1") (not (rawget _G :jit)))
              (assert.is_truthy (: (. ends 1 2) :find "plain Lua 5.1" 1 true))
              (assert.same [[:returned :slept]] ends)))))))
