;; Cases from public reports: sessions, and how they begin and end.

(local mcp (require :support.mcp))
(local wire (require :support.wire))
(local {: json} (require :mcp.native))

(local unknown "00000000-0000-0000-0000-000000000000")
(local list {:jsonrpc :2.0 :id 1 :method :tools/list})

(describe "sessions"
  (fn []
    (var (server port client) nil)
    (before_each #(do (set (server port) (mcp.start))
                      (set client (mcp.connect port))))
    (after_each #(do (client:close) (server:stop)))
    (it "answers 404 to the id of a session that is gone (DEV-SES-1)"
      (fn []
        (each [_ [path id] (ipairs [["/mcp" unknown]
                                    [(.. "/mcp?sessionId=" unknown) nil]])]
          (set (client.path client.session) (values path id))
          (let [answer (client:post list)]
            (assert.same 404 answer.status)
            (assert.same :2.0 answer.json.jsonrpc)
            (assert.is_truthy answer.json.error.message)
            (assert.same 1 answer.json.id)))))
    (it "asks for a session with 400, and opens one only by initialize"
      (fn []
        (assert.same 400 (. (client:post list) :status))
        (assert.same 0 (. (server:status) :sessions))
        (client:open)
        (assert.same 1 (. (server:status) :sessions))
        (assert.same 200 (. (client:post list) :status))))
    (it "gives ids that nobody guesses, in visible characters"
      (fn []
        (client:open)
        (let [first client.session]
          (client:open)
          (assert.not_equal first client.session)
          (assert.is_truthy (first:find "^[%x-]+$"))
          (assert.same 36 (length first)))))
    (it "does not renegotiate a live session (DEV-SES-2)"
      (fn []
        (client:open "2025-06-18")
        (let [params {:protocolVersion "2025-11-25"
                      :capabilities (json.object {})
                      :clientInfo {:name :other :version "2"}}
              answer (client:post {:jsonrpc :2.0 :id 7 :method :initialize
                                   : params})]
          (assert.same [400 7] [answer.status answer.json.id])
          (assert.same -32600 answer.json.error.code))
        (assert.same 1 (. (server:status) :sessions))
        (assert.same 200 (. (client:post list) :status))))
    (it "initializes anew with the id of a session that is gone"
      (fn []
        (set client.session unknown)
        (let [answer (client:post {:jsonrpc :2.0 :id 1 :method :initialize
                                   :params mcp.initialize-params})]
          (assert.same 200 answer.status)
          (assert.is_truthy (. answer.headers :mcp-session-id)))))
    (it "refuses two different ids, and takes one said twice (DEV-SES-4)"
      (fn []
        (client:open)
        (let [a client.session
              body (json.encode list)]
          (client:open)
          (let [b client.session
                send (fn [path headers]
                       (client.wire:send
                         (.. "POST " path " HTTP/1.1\r\nHost: localhost\r\n"
                             "Content-Type: application/json\r\n" headers
                             "Content-Length: " (length body) "\r\n\r\n" body))
                       (. (client.wire:response) :status))
                header #(.. "Mcp-Session-Id: " $ "\r\n")]
            (assert.same 400 (send "/mcp" (.. (header a) (header b))))
            (assert.same 400 (send (.. "/mcp?sessionId=" b) (header a)))
            (assert.same 200 (send (.. "/mcp?sessionId=" a) (header a)))
            (assert.same 200 (send (.. "/mcp?sessionId=" a "&x=1") ""))))))
    (it "ends a session by DELETE"
      (fn []
        (client:open)
        (let [delete (fn [headers]
                       (client.wire:send (wire.request :DELETE "/mcp" headers))
                       (. (client.wire:response) :status))
              id client.session]
          (assert.same 400 (delete {}))
          (assert.same 204 (delete {"Mcp-Session-Id" id}))
          (assert.same 404 (delete {"Mcp-Session-Id" id}))
          (assert.same 404 (. (client:post list) :status)))))))

(describe "many sessions"
  (fn []
    (it "stay bounded, whoever never says goodbye (DEV-SES-3)"
      (fn []
        (let [(server port) (mcp.start {:max-sessions 50})
              client (mcp.connect port)]
          (var first nil)
          (for [i 1 2000]
            (client:open)
            (when (= i 1) (set first client.session)))
          (assert.same 50 (. (server:status) :sessions))
          (assert.same 200 (. (client:post list) :status))
          (set client.session first)
          (assert.same 404 (. (client:post list) :status))
          (client:close)
          (server:stop))))
    (it "end when they are idle for too long"
      (fn []
        (let [(server port) (mcp.start {:session-ttl 0.05})
              client (mcp.connected port)
              {: http_server} (require :mcp.native)
              over (+ (http_server.now) 0.06)]
          (http_server.wake_at over)
          (wire.pump-until #(< over (http_server.now)))
          (assert.same 404 (. (client:post list) :status))
          (assert.same 0 (. (server:status) :sessions))
          (client:open)
          (assert.same 200 (. (client:post list) :status))
          (client:close)
          (server:stop))))))
