;; The native boundary over real sockets: what DESIGN promises of http_server.

(local {: http_server} (require :mcp.native))
(local {: connect : pump-until : request} (require :support.wire))

(local post (partial request :POST :/ {}))

(fn echo [exchange]
  {:status 200 :headers {:X-Id (tostring exchange.id)} :body exchange.body})

(describe "http_server"
  (fn []
    (var server nil)
    (before_each #(set server (http_server.new {})))
    (after_each #(server:stop))
    (fn listen []
      (assert (server:listen :127.0.0.1 0)))
    (it "answers at once with what a handler returns"
      (fn []
        (server:post :/ echo)
        (let [client (connect (listen))
              answer (-> client (: :send (post :hello)) (: :response))]
          (assert.same [200 :hello] [answer.status answer.body])
          (assert.is_truthy (. answer.headers :x-id))
          (assert.is_truthy (. answer.headers :date)))))
    (it "shows the parts of a request"
      (fn []
        (var seen nil)
        (server:route "/a b"
                      (fn [e]
                        (set seen {:method e.method :path e.path
                                   :target e.target :query e.query
                                   :version e.version
                                   :name (. e.headers :x-name)
                                   :twice (. e.headers :x-twice)
                                   :nothing e.nothing})
                        {}))
        (let [client (connect (listen))]
          (client:send (.. "PUT /a%20b?x=1&x=2&y=%26 HTTP/1.1\r\n"
                           "Host: localhost\r\nX-Name: v\r\n"
                           "X-Twice: 1\r\nx-twice: 2\r\n\r\n"))
          (assert.same 200 (. (client:response) :status)))
        (assert.same {:method :PUT :path "/a b"
                      :target "/a%20b?x=1&x=2&y=%26"
                      :query {:x [:1 :2] :y "&"} :version :1.1
                      :name :v :twice [:1 :2]}
                     seen)))
    (it "answers later"
      (fn []
        (var kept nil)
        (server:post :/ #(do (set kept $) nil))
        (let [client (connect (listen))]
          (client:send (post :x))
          (pump-until #kept)
          (assert.is_true (kept:reply {:status 201 :body :later}))
          (let [answer (client:response)]
            (assert.same [201 :later] [answer.status answer.body]))
          (assert.has_error #(kept:reply {})
                            "this exchange was answered already"))))
    (it "answers 500 without a traceback when a handler raises"
      (fn []
        (var reported nil)
        (set server (http_server.new {:on_error #(set reported $)}))
        (server:post :/ #(error "a secret place"))
        (let [client (connect (listen))
              answer (-> client (: :send (post :x)) (: :response))]
          (assert.same 500 answer.status)
          (assert.is_nil (answer.body:find :secret))
          (assert.is_truthy (reported:find "a secret place" 1 true))
          (assert.is_truthy (reported:find "stack traceback" 1 true)))))
    (it "answers 500 when a handler returns nonsense, and says why"
      (fn []
        (each [_ [value why] (ipairs [[:text "a response table or nil"]
                                      [{:stauts 200} "no stauts"]
                                      [{:status 99} "99"]
                                      [{:headers {"a b" :x}} "a b"]
                                      [{:headers {:x "a\nb"}} "x"]
                                      [{:body {}} "body"]])]
          (var reported nil)
          (let [server (http_server.new {:on_error #(set reported $)})]
            (server:post :/ #value)
            (let [client (connect (server:listen :127.0.0.1 0))]
              (assert.same 500 (-> client (: :send (post :x)) (: :response)
                                   (. :status))))
            (server:stop)
            (assert.is_truthy (reported:find why 1 true)
                              (.. reported " should name " why))))))
    (it "answers 500 for an exchange that was collected"
      (fn []
        (var seen false)
        (server:post :/ #(do (set seen true) nil))
        (let [client (connect (listen))]
          (client:send (post :x))
          (pump-until #seen)
          (collectgarbage)
          (collectgarbage)
          (assert.same 500 (. (client:response) :status)))))
    (it "tells once that the client went away, and why"
      (fn []
        (let [reasons []]
          (var kept nil)
          (server:post :/ (fn [e]
                            (set kept e)
                            (e:on_close #(table.insert reasons $))
                            nil))
          (let [client (connect (listen))]
            (client:send (post :x))
            (pump-until #kept)
            (client:reset)
            (pump-until #(. reasons 1))
            (assert.same [nil :closed] [(kept:reply {})])
            (server:stop)
            (assert.same [:reset] reasons)))))
    (it "tells of a stop inside stop"
      (fn []
        (let [reasons []]
          (var seen false)
          (server:post :/ (fn [e]
                            (set seen true)
                            (e:on_close #(table.insert reasons [$ e.method]))
                            nil))
          (let [client (connect (listen))]
            (client:send (post :x))
            (pump-until #seen)
            (server:stop)
            (assert.same [[:stopped :POST]] reasons)
            (assert.is_true (client:closed?))))))
    (it "lets exchanges finish while it drains"
      (fn []
        (var seen false)
        (server:post :/ (fn [e]
                          (let [due (+ (http_server.now) 0.02)]
                            (set seen true)
                            (http_server.wake_at due)
                            (var undo nil)
                            (set undo (http_server.on_dispatch
                                        #(when (<= due (http_server.now))
                                           (undo)
                                           (e:reply {:body :done}))))
                            nil)))
        (let [client (connect (listen))]
          (client:send (post :x))
          (pump-until #seen)
          (server:stop {:drain 10})
          (assert.same :done (. (client:response) :body)))))
    (it "is loud about misuse"
      (fn []
        (each [_ [misuse message]
               (ipairs [[#(http_server.new {:max_boddy 1}) "max_boddy"]
                        [#(http_server.new {:max_body 0}) "max_body"]
                        [#(http_server.new {:max_body :x}) "max_body"]
                        [#(http_server.new :x) "options"]
                        [#(server:post :mcp echo) "begins with a slash"]
                        [#(server:post :/mcp :x) "a function"]
                        [#(server:guard {:origin []}) "no option origin"]
                        [#(server:guard {:origins ["not an origin"]})
                         "not an origin"]
                        [#(server:listen :127.0.0.1 70000) "65535"]
                        [#(http_server.dispatch {:max_mss 1}) "max_mss"]
                        [#(http_server.wait -1) "wait"]
                        [#(server.stop {}) "colon"]])]
          ;; dispatch looks at its options only when there is work.
          (http_server.wake_at 0)
          (let [(ok err) (pcall misuse)]
            (assert.is_false ok message)
            (assert.same :string (type err))
            (assert.is_truthy (err:find message 1 true)
                              (.. err " should name " message))))))
    (it "takes no route, guard or listen after listen"
      (fn []
        (server:post :/ echo)
        (listen)
        (each [_ misuse (ipairs [#(server:post :/b echo) #(server:guard {})
                                 #(listen)])]
          (let [(ok err) (pcall misuse)]
            (assert.is_false ok)
            (assert.is_truthy (err:find "before listen" 1 true) err)))))
    (it "refuses the same route twice"
      (fn []
        (server:post :/ echo)
        (assert.has_error #(server:post :/ echo))))
    (it "says which address is in use, and works once it is free"
      (fn []
        ;; DEV-SRV-1, DEV-SRV-3
        (let [port (listen)
              other (http_server.new {})
              (none message) (other:listen :127.0.0.1 port)]
          (assert.is_nil none)
          (assert.is_truthy (message:find (.. "127.0.0.1:" port " is in use")
                                          1 true))
          (server:stop)
          (assert.same port (other:listen :127.0.0.1 port))
          (other:stop))))
    (it "refuses a host that is no address"
      (fn []
        (let [(none message) (server:listen :256.1.1.1 0)]
          (assert.is_nil none)
          (assert.is_truthy (message:find "256.1.1.1" 1 true)))))
    (it "stops twice, and is not running then"
      (fn []
        (listen)
        (assert.is_true (. (server:status) :running))
        (server:stop)
        (server:stop)
        (assert.is_false (. (server:status) :running))
        (assert.has_error #(listen))))
    (it "handles one call a dispatch if that is the limit"
      (fn []
        (server:post :/ echo)
        (let [port (listen)
              clients (fcollect [_ 1 3] (connect port))]
          (each [_ client (ipairs clients)]
            (client:send (post :x)))
          (while (< (. (server:status) :waiting) 3)
            (http_server.wait 1))
          (assert.same [1 2] [(http_server.dispatch {:max_calls 1})])
          (assert.is_true (http_server.wait 0))
          (assert.same [2 0] [(http_server.dispatch)])
          (assert.same [0 0] [(http_server.dispatch)])
          (each [_ client (ipairs clients)]
            (assert.same 200 (. (client:response) :status))))))
    (it "does not let a handler dispatch"
      (fn []
        (var err nil)
        (server:post :/ (fn []
                          ;; Something is due, so there is work to refuse.
                          (http_server.wake_at 0)
                          (let [(_ e) (pcall http_server.dispatch)]
                            (set err e))
                          {}))
        (let [client (connect (listen))]
          (client:send (post :x))
          (assert.same 200 (. (client:response) :status))
          (assert.is_truthy (err:find "from inside dispatch" 1 true)))))
    (it "stops from inside a handler"
      (fn []
        (var seen false)
        (server:post :/ #(do (server:stop {:drain 5}) (set seen true) {}))
        (let [client (connect (listen))]
          (client:send (post :x))
          (assert.is_true (client:closed?))
          (assert.is_true seen))))
    (it "stops when nobody can reach it any more"
      (fn []
        (var port nil)
        (let [lost (http_server.new {})]
          (lost:post :/ #(do lost {}))
          (set port (lost:listen :127.0.0.1 0)))
        (collectgarbage)
        (collectgarbage)
        (let [again (http_server.new {})]
          (assert.same port (again:listen :127.0.0.1 port))
          (again:stop))))
    (it "wakes for a due time"
      (fn []
        (var ran 0)
        (let [undo (http_server.on_dispatch #(set ran (+ ran 1)))
              due (+ (http_server.now) 0.02)]
          (http_server.wake_at due)
          (assert.is_true (http_server.wait 10))
          (assert.is_true (<= due (http_server.now)))
          (http_server.dispatch)
          (assert.same 1 ran)
          (http_server.dispatch)
          (assert.same 1 ran)
          (undo)
          (http_server.wake_at 0)
          (http_server.dispatch)
          (assert.same 1 ran))))
    (it "counts what it refused and answered"
      (fn []
        (server:post :/ echo)
        (let [client (connect (listen))]
          (client:send (.. (post :x) (request :GET :/ {})
                           (request :GET :/none {})))
          (client:response)
          (client:response)
          (client:response)
          (let [status (server:status)]
            (assert.same [3 1 1 1 1]
                         [status.requests status.refused.method
                          status.refused.not_found (. status.responses 200)
                          (. status.responses 404)])))))))
