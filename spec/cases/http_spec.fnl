;; Cases from public reports: HTTP framing, paths, methods, the guard, limits;
;; through a whole server. What src/http tests by bytes is not repeated here.

(local mcp (require :support.mcp))
(local wire (require :support.wire))
(local {: json} (require :mcp.native))

(fn echo [text]
  (json.encode {:jsonrpc :2.0 :id 1 :method :tools/call
                :params {:name :echo :arguments {: text}}}))

(fn said [answer]
  (?. (json.decode answer.body) :result :content 1 :text))

(fn head [client line ...]
  "The head of a request of this session."
  (table.concat [line "Host: localhost" "Content-Type: application/json"
                 (.. "Mcp-Session-Id: " client.session) ...
                 ""] "\r\n"))

(describe "HTTP"
  (fn []
    (var (server port client) nil)
    (before_each #(do (set (server port) (mcp.start))
                      (set client (mcp.connected port))))
    (after_each #(do (client:close) (server:stop)))
    (fn answer [bytes]
      (client.wire:send bytes)
      (client.wire:response))
    (it "takes a chunked body (DEV-HTTP-1)"
      (fn []
        (let [body (echo :chunked)]
          (assert.same :chunked
                       (said (answer (.. (head client "POST /mcp HTTP/1.1"
                                               "Transfer-Encoding: chunked")
                                         "\r\n"
                                         (string.format "%x\r\n" (length body))
                                         body "\r\n0\r\n\r\n")))))))
    (it "takes a request in pieces (DEV-HTTP-2)"
      (fn []
        (let [body (echo :pieces)
              bytes (.. (head client "POST /mcp HTTP/1.1"
                              (.. "Content-Length: " (length body)))
                        "\r\n" body)]
          (for [i 1 (length bytes)]
            (client.wire:send (bytes:sub i i)))
          (assert.same :pieces (said (client.wire:response))))))
    (it "answers a client that ended its side after the request (DEV-HTTP-2)"
      (fn []
        (let [body (echo :last)]
          (client.wire:send (.. (head client "POST /mcp HTTP/1.1"
                                      (.. "Content-Length: " (length body)))
                                "\r\n" body))
          (client.wire.sock:shutdown :send)
          (assert.same :last (said (client.wire:response)))
          (assert.is_true (client.wire:closed?)))))
    (it "serves HTTP/1.0, and closes (DEV-HTTP-4)"
      (fn []
        (let [body (json.encode {:jsonrpc :2.0 :id 1 :method :initialize
                                 :params mcp.initialize-params})
              got (answer (.. "POST /mcp HTTP/1.0\r\n"
                              "Content-Type: application/json\r\n"
                              "Content-Length: " (length body) "\r\n\r\n"
                              body))]
          (assert.same [200 nil] [got.status
                                  (. got.headers :transfer-encoding)])
          (assert.is_true (client.wire:closed?)))))
    (it "runs nothing that two readers could read differently (DEV-HTTP-5, 9)"
      (fn []
        (each [_ [fields status]
               (ipairs [["Content-Length: 46\r\nContent-Length: 0" 400]
                        ["Content-Length: +5" 400]
                        ["Content-Length: 5, 6" 400]
                        ["Content-Length: 1234567890123456789012345" 413]
                        ["Content-Length : 5" 400]
                        ["X-A: b\rContent-Length: 10" 400]
                        ["X-A: 1\r\n b" 400]
                        ["Transfer-Encoding: gzip, chunked" 501]
                        ["Transfer-Encoding: identity" 400]])]
          (let [other (wire.connect port)]
            (other:send (.. (head client "POST /mcp HTTP/1.1" fields) "\r\n"))
            (let [got (other:response)]
              (assert.same [status :close]
                           [got.status (. got.headers :connection)] fields)
              (assert.is_true (other:closed?)))))
        (assert.is_nil (. (server:status) :requests :tools/call))))
    (it "finds the path under a query and in absolute form (DEV-URL-1)"
      (fn []
        (each [_ [target status]
               (ipairs [["/mcp?key=a%20b&x=1" 200]
                        [(.. "/mcp?sessionId=" client.session "&x=1") 200]
                        [(.. "http://127.0.0.1:" port "/mcp") 200]
                        ["//mcp" 404] ["/mcp%2f.." 404] ["/mcp/" 404]
                        ["/MCP" 404]])]
          (let [body (echo :x)
                other (wire.connect port)]
            (other:send (.. (head client (.. "POST " target " HTTP/1.1")
                                  (.. "Content-Length: " (length body)))
                            "\r\n" body))
            (assert.same status (. (other:response) :status) target)
            (other:close)))))
    (it "has neither a stream nor anything else to GET (DEV-URL-3)"
      (fn []
        (let [got (answer (wire.request :GET "/mcp" {}))]
          (assert.same 405 got.status)
          (assert.is_truthy (string.find (. got.headers :allow) :POST 1
                                         true)))))
    (it "says 404 to all that clients probe for"
      (fn []
        (each [_ path (ipairs ["/.well-known/oauth-protected-resource"
                               "/.well-known/oauth-protected-resource/mcp"
                               "/mcp/.well-known/openid-configuration"
                               "/register" "/" "/sse"])]
          (assert.same 404 (. (answer (wire.request :GET path {})) :status)
                       path))))
    (it "tells what is too large, completely (DEV-LIM-2, DEV-LIM-3)"
      (fn []
        (each [_ [bytes status]
               (ipairs [[(wire.request :POST "/mcp"
                                       {"Content-Type" "application/json"}
                                       (string.rep :x (+ 1 (* 4 1024 1024))))
                         413]
                        [(wire.request :POST "/mcp"
                                       {"X-Large" (string.rep :x 1000000)})
                         431]
                        [(wire.request :POST (.. "/" (string.rep :x 200000))
                                       {})
                         414]
                        [(wire.request :POST "/mcp"
                                       {"Cookie" (string.rep :x 40000)})
                         431]])]
          (let [other (wire.connect port)]
            (other:send bytes)
            (let [got (other:response)]
              (assert.same [status :close]
                           [got.status (. got.headers :connection)])
              (other:close))))
        (assert.same :x (. (client:tool :echo {:text :x}) :content 1 :text))))))

(describe "the guard"
  (fn []
    (local token "a-token-of-some-length")
    (fn status [server-options headers ?path]
      "The status that a ping with these headers gets."
      (let [(server port) (mcp.start server-options)
            client (mcp.connect port ?path)
            answer (client:post {:jsonrpc :2.0 :id 1 :method :ping} headers)]
        (client:close)
        (server:stop)
        (values answer.status answer)))
    (it "turns foreign pages away (DEV-SEC-1, 2, 3)"
      (fn []
        (each [_ headers (ipairs [{"Origin" "https://evil.example"}
                                  {"Origin" "null"}
                                  {"Origin" ""}
                                  {"Origin" "http://localhost.evil.example"}])]
          (assert.same 403 (status nil headers) headers.Origin))
        (let [(server port) (mcp.start)
              client (wire.connect port)]
          (client:send (.. "POST /mcp HTTP/1.1\r\n"
                           "Host: evil.example:" port "\r\n"
                           "Origin: http://evil.example:" port "\r\n\r\n"))
          (assert.same 403 (. (client:response) :status))
          (client:close)
          (server:stop))))
    (it "lets programs and local pages in (DEV-SEC-6)"
      (fn []
        (each [_ origin (ipairs [false "http://localhost:5173"
                                 "http://127.0.0.1" "http://[::1]:8080"])]
          (assert.same 200 (status nil {"Origin" origin}) (tostring origin)))))
    (it "lets in which pages it is told, and no others"
      (fn []
        (let [options {:allowed-origins ["https://app.example"]}]
          (assert.same 200 (status options {"Origin" "https://app.example"}))
          (assert.same 403 (status options
                                   {"Origin" "http://localhost:1"})))))
    (it "answers what a browser asks first (DEV-URL-2)"
      (fn []
        (let [(server port) (mcp.start {: token})
              wanted (.. "authorization, content-type, mcp-session-id, "
                         "mcp-protocol-version, mcp-method, mcp-name")
              ask (fn [origin]
                    (let [client (wire.connect port)]
                      (client:send (wire.request :OPTIONS "/mcp"
                                     {"Origin" origin
                                      "Access-Control-Request-Method" "POST"
                                      "Access-Control-Request-Headers" wanted}))
                      (let [answer (client:response)]
                        (client:close)
                        answer)))
              answer (ask "http://localhost:5173")
              header #(. answer.headers (.. "access-control-" $))]
          (assert.same 204 answer.status)
          (assert.same "http://localhost:5173" (header :allow-origin))
          (assert.same wanted (header :allow-headers))
          (each [_ method (ipairs [:POST :DELETE])]
            (assert.is_truthy (string.find (header :allow-methods) method 1
                                           true)))
          (assert.same 403 (. (ask "http://evil.example") :status))
          (server:stop))
        (let [(code answer) (status nil {"Origin" "http://localhost:5173"})]
          (assert.same 200 code)
          (assert.is_truthy
            (string.find (. answer.headers :access-control-expose-headers)
                         "Mcp-Session-Id" 1 true)))))
    (it "asks for the token on every request (DEV-SEC-4)"
      (fn []
        (let [right {"Authorization" (.. "Bearer " token)}]
          (assert.same 200 (status {: token} right))
          (each [_ [headers path] (ipairs [[{}]
                                           [{"Authorization" "Bearer wrong"}]
                                           [{} (.. "/mcp?token=" token)]])]
            (let [(code answer) (status {: token} headers path)]
              (assert.same 401 code)
              (assert.is_truthy
                (string.find (. answer.headers :www-authenticate)
                             "^Bearer"))))
          (let [(server port) (mcp.start {: token})]
            (each [_ method (ipairs [:GET :DELETE])]
              (let [client (wire.connect port)]
                (client:send (wire.request method "/mcp"
                                           {"Mcp-Session-Id" "unknown"}))
                (assert.same 401 (. (client:response) :status) method)
                (client:close)))
            (server:stop)))))
    (it "binds to loopback only, unless told so (DEV-SEC-5)"
      (fn []
        (let [{: MCPHTTPServer} (require :mcp.server-http)
              {: http_server} (require :mcp.native)
              start (fn [host options]
                      (let [all {:http-server (http_server.new {})
                                 :tools (mcp.create-tools) :logger false}]
                        (each [k v (pairs options)]
                          (tset all k v))
                        (let [server (MCPHTTPServer all)
                              (port message) (server:start {: host :port 0})]
                          (server:stop)
                          (values port message))))]
          (each [_ host (ipairs ["0.0.0.0" "::" "192.0.2.1"])]
            (each [_ options (ipairs [{} {: token}])]
              (let [(port message) (start host options)]
                (assert.is_nil port host)
                (assert.is_truthy (message:find "allow-non-loopback" 1
                                                true)))))
          (each [_ host (ipairs ["127.0.0.1" "localhost"])]
            (assert.same :number (type (start host {})) host))
          (assert.same :number
                       (type (start "0.0.0.0" {:allow-non-loopback true
                                               :allowed-hosts ["host.example"]
                                               : token}))))))))
