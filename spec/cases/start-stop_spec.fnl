;; Cases from public reports: start, stop, restart, and many at once.

(local mcp (require :support.mcp))
(local wire (require :support.wire))
(local {: http_server : json} (require :mcp.native))
(local {: MCPHTTPServer} (require :mcp.server-http))

(fn create []
  (MCPHTTPServer {:http-server (http_server.new {}) :logger false
                  :tools (mcp.create-tools)}))

(describe "starting"
  (fn []
    (it "on a port that is taken is a message, and works later (DEV-SRV-1, 3)"
      (fn []
        (let [(first port) (mcp.start)
              second (create)
              (none message) (second:start {:host "127.0.0.1" : port})]
          (assert.is_nil none)
          (assert.is_truthy (message:find (.. "127.0.0.1:" port) 1 true))
          (first:stop)
          (let [third (create)]
            (assert.same port (third:start {:host "127.0.0.1" : port}))
            (third:stop)))))
    (it "on a host that is none is a message"
      (fn []
        (let [server (create)
              (none message) (server:start {:host "256.1.1.1" :port 0})]
          (assert.is_nil none)
          (assert.is_truthy (message:find "256.1.1.1" 1 true)))))
    (it "happens once"
      (fn []
        (let [server (create)]
          (server:start {:host "127.0.0.1" :port 0})
          (assert.has_error #(server:start {:host "127.0.0.1" :port 0}))
          (server:stop)
          (assert.has_error #(server:start {:host "127.0.0.1" :port 0})))))))

(describe "stopping"
  (fn []
    (it "does not wait for anybody (DEV-SRV-2)"
      (fn []
        (let [(server port) (mcp.start)
              client (mcp.connected port)
              upload (wire.connect port)]
          (upload:send (.. "POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
                           "Content-Length: 99\r\n\r\nhalf"))
          (client.wire:send (wire.request :POST "/mcp"
                              {"Content-Type" "application/json"
                               "Mcp-Session-Id" client.session}
                              (json.encode {:jsonrpc :2.0 :id 1
                                            :method :tools/call
                                            :params {:name :sleep
                                                     :arguments {:ms 60000}}})))
          (wire.pump-until #(= 1 (. (server:status) :calls)))
          (let [start (http_server.now)]
            (server:stop)
            (assert.is_true (< (- (http_server.now) start) 1)))
          (assert.is_false (. (server:status) :running))
          (assert.same 0 (. (server:status) :calls))
          (assert.is_true (client.wire:closed?))
          (assert.has_error #(wire.connect port)))))
    (it "lets calls finish for as long as it is told"
      (fn []
        (let [(server port) (mcp.start)
              client (mcp.connected port)]
          (client.wire:send (wire.request :POST "/mcp"
                              {"Content-Type" "application/json"
                               "Mcp-Session-Id" client.session}
                              (json.encode {:jsonrpc :2.0 :id 1
                                            :method :tools/call
                                            :params {:name :sleep
                                                     :arguments {:ms 20}}})))
          (wire.pump-until #(= 1 (. (server:status) :calls)))
          (server:stop {:drain 10})
          (assert.is_truthy (string.find (. (client.wire:response) :body)
                                         "slept" 1 true)))))
    (it "and starting on the same port again loses no port (200 times)"
      (fn []
        (var port 0)
        (for [_ 1 200]
          (let [server (create)]
            (set port (assert (server:start {:host "127.0.0.1" : port})))
            (server:stop)))))))

(describe "many clients"
  (fn []
    (it "never get each other's answers, equal ids or not (DEV-CON-1)"
      (fn []
        (let [(server port) (mcp.start)
              clients (fcollect [_ 1 20] (mcp.connected port))]
          (for [id 1 50]
            (each [i client (ipairs clients)]
              (client.wire:send (wire.request :POST "/mcp"
                                  {"Content-Type" "application/json"
                                   "Mcp-Session-Id" client.session}
                                  (json.encode
                                    {:jsonrpc :2.0 : id :method :tools/call
                                     :params {:name :echo
                                              :arguments
                                              {:text (.. i "/" id)}}}))))
            (each [i client (ipairs clients)]
              (let [message (json.decode (. (client.wire:response) :body))]
                (assert.same [id (.. i "/" id)]
                             [message.id
                              (. message.result.content 1 :text)]))))
          (each [_ client (ipairs clients)]
            (client:close))
          (server:stop))))
    (it "run their calls beside each other"
      (fn []
        (let [(server port) (mcp.start)
              (slow quick) (values (mcp.connected port) (mcp.connected port))]
          (slow.wire:send (wire.request :POST "/mcp"
                            {"Content-Type" "application/json"
                             "Mcp-Session-Id" slow.session}
                            (json.encode {:jsonrpc :2.0 :id 1
                                          :method :tools/call
                                          :params {:name :sleep
                                                   :arguments {:ms 100}}})))
          (wire.pump-until #(= 1 (. (server:status) :calls)))
          (assert.same :x (. (quick:tool :echo {:text :x}) :content 1 :text))
          (assert.same 1 (. (server:status) :calls))
          (assert.is_truthy (string.find (. (slow.wire:response) :body)
                                         "slept" 1 true))
          (slow:close)
          (quick:close)
          (server:stop))))
    (it "that die in the middle of anything leave the server serving"
      (fn []
        (let [(server port) (mcp.start)
              survivor (mcp.connected port)]
          (each [_ bytes (ipairs ["" "POST" "POST /mcp HTTP/1.1\r\nHost: l"
                                  (.. "POST /mcp HTTP/1.1\r\nHost: localhost"
                                      "\r\nContent-Length: 9\r\n\r\nhalf")])]
            (let [client (wire.connect port)]
              (client:send bytes)
              (client:reset)))
          (for [_ 1 20]
            (let [client (mcp.connected port)]
              (client.wire:send (wire.request :POST "/mcp"
                                  {"Content-Type" "application/json"
                                   "Mcp-Session-Id" client.session}
                                  (json.encode {:jsonrpc :2.0 :id 1
                                                :method :tools/call
                                                :params {:name :sleep
                                                         :arguments {:ms 1}}})))
              (client.wire:reset)))
          (wire.pump-until #(= 0 (. (server:status) :calls)))
          (assert.same :x (. (survivor:tool :echo {:text :x}) :content 1
                             :text))
          (survivor:close)
          (server:stop))))))
