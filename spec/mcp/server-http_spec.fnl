;; MCP over HTTP, with a fake of the engine. What the wire looks like is in
;; spec/transcripts.

(local {: create-demo : started : send : open} (require :support.demo))
(local raises (require :support.raises))

(fn sleep [id seconds]
  {:jsonrpc "2.0"
   : id
   :method :tools/call
   :params {:name "sleep" :arguments {: seconds}}})

(local ping {:jsonrpc "2.0" :id 1 :method :ping})

(describe "starting"
  (fn []
    (it "gives the port, and says where"
      (fn []
        (let [{: server : http} (create-demo)]
          (assert.is_nil server.url)
          (assert.equal 7331 (server:start))
          (assert.equal "127.0.0.1" http.host)
          (assert.equal "http://127.0.0.1:7331/mcp" server.url))))
    (it "takes host, port and path"
      (fn []
        (each [_ [host url] (ipairs [["localhost" "http://localhost:9/agents"]
                                     ["::1" "http://[::1]:9/agents"]
                                     ["[::1]" "http://[::1]:9/agents"]])]
          (let [{: server : http} (create-demo {:path "/agents"})]
            (assert.equal 9 (server:start {: host :port 9}))
            (assert.equal url server.url)
            (assert.is_truthy (. http.routes "/agents" :POST))))))
    (it "gives the engine the guard's rules"
      (fn []
        (let [{: server : http} (create-demo
                                  {:token "0123456789abcdef"
                                   :allowed-origins ["https://a.example"]})]
          (server:start)
          (assert.same ["localhost" "127.0.0.1" "[::1]"] http.rules.hosts)
          (assert.same ["https://a.example"] http.rules.origins)
          (assert.equal "0123456789abcdef" http.rules.token))))
    (it "on an address of others is refused, unless that was said (DEV-SEC-5)"
      (fn []
        (each [_ options (ipairs [{} {:token "0123456789abcdef"}
                                  {:allowed-hosts ["a.example"]}])]
          (let [{: server : http} (create-demo options)
                (port why) (server:start {:host "192.0.2.1"})]
            (assert.is_nil port)
            (assert.is_truthy (why:find ":allow-non-loopback" 1 true))
            (assert.is_nil http.port)))
        (let [{: server} (create-demo {:allow_non_loopback true})]
          (assert.equal 7331 (server:start {:host "192.0.2.1"})))))
    (it "on all addresses needs names, and gives a URL that works"
      (fn []
        (let [{: server} (create-demo {:allow-non-loopback true})
              (port why) (server:start {:host "0.0.0.0"})]
          (assert.is_nil port)
          (assert.is_truthy (why:find ":allowed-hosts" 1 true)))
        (let [{: server} (create-demo {:allow-non-loopback true
                                       :allowed-hosts ["a.example"]})]
          (server:start {:host "0.0.0.0"})
          (assert.equal "http://localhost:7331/mcp" server.url))))
    (it "on a port that is taken says so, and may be tried again (DEV-SRV-1)"
      (fn []
        (let [{: server : http} (create-demo)]
          (set http.refusal "127.0.0.1:9 is in use")
          (let [(port why) (server:start {:port 9})]
            (assert.same [nil "127.0.0.1:9 is in use"] [port why])
            (assert.is_false (. (server:status) :running))
            (assert.same [] http.hooks))
          (assert.equal 9 (server:start {:port 9})))))
    (it "happens once"
      (fn []
        (let [{: server} (started)]
          (raises "started before" #(server:start))
          (server:stop)
          (raises "started before" #(server:start)))
        (let [{: server} (create-demo)]
          (server:stop)
          (raises "started before" #(server:start)))))
    (it "takes no option that nobody knows"
      (fn []
        (let [{: server} (create-demo)]
          (raises "start has no option :prot (did you mean :port?)"
                  #(server:start {:prot 1}))
          (raises ":port of start must be a whole number from 0 to 65535"
                  #(server:start {:port 65536})))))))

(describe "stopping"
  (fn []
    (it "stops the engine, ends calls and sessions, and can be done twice"
      (fn []
        (let [{: server : http &as demo} (started)
              session (open demo)
              (_ exchange) (send demo (sleep 1 60) session)]
          (server:stop)
          (server:stop)
          (assert.same {:drain 0} http.stopped)
          (assert.same [] http.hooks)
          (assert.is_nil server.url)
          (assert.is_truthy exchange.response)
          (let [{: running : calls : sessions : port} (server:status)]
            (assert.same [false 0 0 nil] [running calls sessions port])))))
    (it "tells the clients of calls that they are over, while it still can"
      (fn []
        (let [{: server : http &as demo} (started)
              (_ exchange) (send demo (sleep 1 60) (open demo))]
          (set http.stop #(assert exchange.response "too late"))
          (server:stop)
          (assert.is_truthy (exchange.response.body:find "cancelled" 1 true)))))
    (it "lets them end by themselves first, if it is told to"
      (fn []
        (let [{: server : http &as demo} (started)
              (_ exchange) (send demo (sleep 1 1) (open demo))]
          (set http.stop (fn [_ {: drain}] (http:advance drain)))
          (server:stop {:drain 2})
          (assert.is_truthy (exchange.response.body:find "slept" 1 true)))))
    (it "is fine before starting, and takes no nonsense"
      (fn []
        (let [{: server} (create-demo)]
          (server:stop)
          (raises "stop has no option :drian" #(server:stop {:drian 1}))
          (raises ":drain of stop must be a number" #(server:stop {:drain -1}))
          (raises ":drain of stop must be a number"
                  #(server:stop {:drain "1"})))))))

(describe "an answer"
  (fn []
    (it "is JSON; nothing has no type (DEV-RPC-5)"
      (fn []
        (let [demo (started)
              session (open demo)]
          (assert.same {"Content-Type" "application/json"}
                       (. (send demo ping session) :headers))
          (let [{: status : headers : body}
                (send demo {:jsonrpc "2.0" :method :notifications/initialized}
                      session)]
            (assert.same [202 {} ""] [status headers body])))))
    (it "comes when a call is done, and not before"
      (fn []
        (let [{: http &as demo} (started)
              session (open demo)
              (now exchange) (send demo (sleep 7 2) session)]
          (assert.is_nil now)
          (assert.equal (+ http.time 2) http.due)
          (assert.equal 200 (. (send demo ping session) :status))
          (http:advance 1.9)
          (assert.is_nil exchange.response)
          (http:advance 0.1)
          (assert.equal 200 exchange.response.status)
          (assert.is_truthy (exchange.response.body:find "\"id\":7" 1 true))
          (assert.is_nil http.due))))
    (it "of several calls comes when each is done"
      (fn []
        (let [{: http &as demo} (started)
              session (open demo)
              order []]
          (each [_ seconds (ipairs [3 1 2])]
            (let [(_ exchange) (send demo (sleep seconds seconds) session)
                  reply exchange.reply]
              (set exchange.reply (fn [self response]
                                    (table.insert order seconds)
                                    (reply self response)))))
          (http:advance 5)
          (assert.same [1 2 3] order))))
    (it "to a client that is gone is dropped"
      (fn []
        (let [{: http : server &as demo} (started)
              (_ exchange) (send demo (sleep 1 1) (open demo))]
          (set exchange.closed true)
          (http:advance 1)
          (assert.equal 0 (. (server:status) :calls)))))
    (it "that cannot be encoded is an error with its id"
      (fn []
        (let [{: server &as demo} (started)]
          (set server.handler.handle
               #{:kind :answer
                 :message {:jsonrpc "2.0" :id 5 :result {:f print}}})
          (let [{: status : json} (send demo ping)]
            (assert.same [200 5 -32603] [status json.id json.error.code])))))))

(describe "a bug of ours"
  (fn []
    (it "says nothing of the inside, and is logged"
      (fn []
        (let [{: server : records &as demo} (started)]
          (set server.handler.handle #(error "a secret"))
          (let [{: status : json : body} (send demo ping)]
            (assert.same [500 -32603] [status json.error.code])
            (assert.is_nil (body:find "secret"))
            (assert.is_nil (body:find "traceback")))
          (let [{: event : fields} (. records (length records))]
            (assert.equal :internal-error event)
            (assert.is_truthy (fields.traceback:find "a secret" 1 true))))))))

(describe "a request that names two sessions"
  (fn []
    (it "is refused, and the same one twice is not (DEV-SES-4)"
      (fn []
        (let [{: http &as demo} (started)
              a (. (open demo) "Mcp-Session-Id")
              b (. (open demo) "Mcp-Session-Id")
              status (fn [header query]
                       (. (send demo ping {"Mcp-Session-Id" header}
                                {:sessionId query})
                          :status))]
          (assert.same [400 400 400 200 200 200 404]
                       [(status a b) (status [a b] nil) (status nil [a b])
                        (status a a) (status nil a) (status [a a] nil)
                        (status nil "session-9")])
          (let [{: response} (http:request {:method :DELETE
                                            :headers {"Mcp-Session-Id" a}
                                            :query {:sessionId b}})]
            (assert.equal 400 response.status)))))))

(describe "status"
  (fn []
    (it "tells how the server is, in both spellings"
      (fn []
        (let [{: server : http &as demo} (started)
              session (open demo)]
          (send demo ping session)
          (send demo (sleep 1 1) session)
          (send demo {:jsonrpc "2.0" :id 1 :method "x"} session)
          (send demo "{")
          (http:request {:method :DELETE :headers session})
          (let [status (server:status)]
            (assert.same {:initialize 1 :ping 1 :tools/call 1 :other 1
                          :DELETE 1}
                         status.requests)
            ;; The call's own answer is one: its session is gone.
            (assert.same {200 4 204 1 400 1} status.responses)
            (assert.same [true "127.0.0.1" 7331 "/mcp" 0 0 4 ""]
                         [status.running status.host status.port status.path
                          status.sessions status.calls status.tools
                          status.prefix])
            (assert.equal "http://127.0.0.1:7331/mcp" status.url)
            (assert.equal status.last-error status.last_error)
            (assert.is_truthy (status.last-error:find "invalid JSON"))
            (assert.same {:running true} status.http)))))
    (it "is a copy"
      (fn []
        (let [{: server} (started)
              status (server:status)]
          (set status.requests.ping 5)
          (assert.same {} (. (server:status) :requests)))))
    (it "counts methods that there are not as one (DEV-LIM)"
      (fn []
        (let [{: server &as demo} (started)]
          (for [i 1 50]
            (send demo {:jsonrpc "2.0" :id 1 :method (.. "m" i)}))
          (assert.same {:other 50} (. (server:status) :requests)))))))

(describe "the log"
  (fn []
    (it "tells of start and stop, and never a token"
      (fn []
        (let [{: server : records} (started {:token "0123456789abcdef"})]
          (server:stop)
          (assert.same [:started :stopped]
                       (icollect [_ {: event} (ipairs records)] event))
          (assert.equal "http://127.0.0.1:7331/mcp"
                        (. records 1 :fields :url)))))))

(describe "a server"
  (fn []
    (it "follows its registry (DEV-REG-4)"
      (fn []
        (let [{: tools &as demo} (started)
              session (open demo)
              list #(length (. (send demo {:jsonrpc "2.0" :id 1
                                           :method :tools/list}
                                     session)
                               :json :result :tools))
              echo {:jsonrpc "2.0" :id 1 :method :tools/call
                    :params {:name "echo" :arguments {:text "hi"}}}]
          (assert.equal 4 (list))
          (tools:unregister "echo")
          (assert.equal 3 (list))
          (assert.equal -32602 (. (send demo echo session) :json :error :code))
          (tools:register {:name "echo" :description "New." :handler #"new"})
          (assert.equal "new" (. (send demo echo session) :json :result
                                 :content 1 :text)))))
    (it "does the same in direct mode as without it, so far"
      (fn []
        (each [_ direct (ipairs [true false])]
          (let [{: http &as demo} (started {: direct})]
            (open demo)
            (assert.is_nil (. http.routes "/mcp" :GET))))))))
