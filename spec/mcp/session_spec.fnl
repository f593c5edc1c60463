;; What is remembered of each client, and for how long.

(local {: create-store} (require :mcp.session))

(var time 0)

(fn create [?fields]
  "A store with ids 1, 2, … and the clock `time`."
  (var n 0)
  (set time 1000)
  (let [given {:uuid #(do (set n (+ n 1)) (tostring n))
               :now #time
               :ttl 3600
               :cap 3}]
    (create-store (collect [name value (pairs (or ?fields {})) &into given]
                    name value))))

(fn open [store]
  (store:open {:version "2025-11-25" :client {:name "c"} :capabilities {}}))

(describe "a session"
  (fn []
    (it "is found by its id, and has what the client said"
      (fn []
        (let [store (create)
              session (open store)]
          (assert.equal session (store:find "1"))
          (assert.equal "2025-11-25" session.version)
          (assert.same {:name "c"} session.client)
          (assert.same [1000 1000] [session.created session.seen])
          (assert.is_nil (store:find "2"))
          (assert.is_nil (store:find "")))))
    (it "shows handlers its public part, always the same"
      (fn []
        (let [store (create)
              session (open store)]
          (assert.equal "1" session.public.id)
          (assert.equal "2025-11-25" session.public.version)
          (assert.is_nil session.public.calls))))
    (it "ends once"
      (fn []
        (let [ended []
              store (create {:on-close #(table.insert ended $.id)})]
          (open store)
          (assert.is_true (store:close "1"))
          (assert.is_false (store:close "1"))
          (assert.is_nil (store:find "1"))
          (assert.same ["1"] ended))))
    (it "ends when it was idle for as long as may be"
      (fn []
        (let [ended []
              store (create {:on-close #(table.insert ended $.id)})]
          (open store)
          (set time (+ time 3599))
          (assert.is_truthy (store:find "1"))
          (set time (+ time 3599))
          (assert.is_truthy (store:find "1"))
          (set time (+ time 3600))
          (assert.is_nil (store:find "1"))
          (assert.equal 0 (store:count))
          (assert.same ["1"] ended))))
    (it "does not end while something runs in it"
      (fn []
        (let [store (create)
              session (open store)]
          (table.insert session.calls {})
          (set time (+ time 9999))
          (assert.equal 0 (store:prune))
          (assert.equal session (store:find "1")))))))

(describe "sessions"
  (fn []
    (it "are counted without those that are over"
      (fn []
        (let [store (create)]
          (open store)
          (set time (+ time 3000))
          (open store)
          (assert.equal 2 (store:count))
          (set time (+ time 1000))
          (assert.equal 1 (store:count))
          (assert.equal 0 (store:prune)))))
    (it "are as many as may be, and then the longest idle one goes (DEV-SES-3)"
      (fn []
        (let [store (create)]
          (for [_ 1 3]
            (open store)
            (set time (+ time 1)))
          (store:find "1")
          (set time (+ time 1))
          (open store)
          (assert.same [true false true true]
                       (fcollect [i 1 4]
                         (not= nil (. store.by-id (tostring i))))))))
    (it "go rather if nothing runs in them"
      (fn []
        (let [store (create {:cap 2})
              first (open store)]
          (table.insert first.calls {})
          (set time (+ time 1))
          (open store)
          (set time (+ time 1))
          (open store)
          (assert.is_truthy (store:find "1"))
          (assert.is_nil (store:find "2"))
          (assert.is_truthy (store:find "3")))))
    (it "that are over go before any other"
      (fn []
        (let [store (create)]
          (for [_ 1 3]
            (open store))
          (set time (+ time 3600))
          (open store)
          (assert.equal 1 (store:count)))))
    (it "never grow past the cap, however many come"
      (fn []
        (let [store (create)]
          (for [i 1 2000]
            (set time (+ time 0.001))
            (open store))
          (assert.equal 3 (store:count))
          (assert.is_truthy (store:find "2000")))))
    (it "all end at once"
      (fn []
        (let [ended []
              store (create {:on-close #(table.insert ended $.id)})]
          (open store)
          (open store)
          (store:close-all)
          (assert.equal 0 (store:count))
          (assert.equal 2 (length ended)))))))
