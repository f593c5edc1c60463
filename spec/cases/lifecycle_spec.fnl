;; Cases from public reports: initialize, versions, and what comes before.

(local mcp (require :support.mcp))
(local {: json} (require :mcp.native))

(local newest "2025-11-25")

(describe "the lifecycle"
  (fn []
    (var (server port client) nil)
    (before_each #(do (set (server port)
                           (mcp.start {:name :demo :version "1.2"
                                       :instructions "Be kind."}))
                      (set client (mcp.connect port))))
    (after_each #(do (client:close) (server:stop)))
    (fn initialize [params]
      (client:post {:jsonrpc :2.0 :id 1 :method :initialize : params}))
    (fn with-version [version]
      {:protocolVersion version :capabilities (json.object {})
       :clientInfo {:name :spec :version "1"}})
    (it "says who it is and what it can"
      (fn []
        (let [result (client:open)]
          (assert.same newest result.protocolVersion)
          (assert.same [:demo "1.2"]
                       [result.serverInfo.name result.serverInfo.version])
          (assert.same "Be kind." result.instructions)
          (assert.same :table (type result.capabilities.tools))
          (assert.is_nil (. (getmetatable result.capabilities.tools)
                            :__array)))))
    (it "speaks the version that was asked for, or its newest (DEV-LIF-1)"
      (fn []
        (each [_ [asked got] (ipairs [["2025-11-25" newest]
                                      ["2025-06-18" "2025-06-18"]
                                      ["2025-03-26" "2025-03-26"]
                                      ["2099-01-01" newest]
                                      ["2026-07-28" newest]
                                      ["1.0" newest]
                                      ["" newest]])]
          (let [answer (initialize (with-version asked))]
            (assert.same 200 answer.status asked)
            (assert.same got answer.json.result.protocolVersion asked)))
        (each [_ version (ipairs [5 json.null [] false])]
          (let [answer (initialize (with-version version))]
            (assert.is_true (or (= newest (?. answer.json :result
                                              :protocolVersion))
                                (= -32602 (?. answer.json :error :code))))))))
    (it "survives slips in initialize, and opens nothing for them (DEV-LIF-3)"
      (fn []
        (each [_ params (ipairs [false json.null (json.array []) "x" 5])]
          (let [before (. (server:status) :sessions)
                answer (initialize (or params nil))]
            (assert.same -32602 answer.json.error.code)
            (assert.is_nil (. answer.headers :mcp-session-id))
            (assert.same before (. (server:status) :sessions))))
        (each [_ slip (ipairs [#(set $.clientInfo nil)
                               #(set $.clientInfo.version nil)
                               #(set $.capabilities (json.array []))
                               #(set $.capabilities json.null)
                               #(set $.capabilities nil)])]
          (let [params (with-version newest)]
            (slip params)
            (assert.is_true (< (. (initialize params) :status) 500))))))
    (it "answers a ping before anything else (DEV-LIF-4)"
      (fn []
        (let [answer (client:post {:jsonrpc :2.0 :id 1 :method :ping})]
          (assert.same 200 answer.status)
          (assert.is_truthy (answer.body:find "\"result\":{}" 1 true)))))
    (it "serves between initialize and initialized (DEV-LIF-4)"
      (fn []
        (let [answer (initialize (with-version newest))]
          (set client.session (. answer.headers :mcp-session-id))
          (assert.is_truthy (. (client:rpc :tools/list) :result)))))
    (it "does not ask for the version header, but checks it (DEV-LIF-2)"
      (fn []
        (client:open "2025-06-18")
        (each [_ [version status] (ipairs [[false 200] ["2025-06-18" 200]
                                           ["2025-11-25" 200]
                                           ["2099-01-01" 400] ["x" 400]])]
          (let [(message answer) (client:rpc :tools/list nil
                                             {"MCP-Protocol-Version" version})]
            (assert.same status answer.status (tostring version))
            (when (= status 400)
              (assert.same -32600 message.error.code))))))
    (it "lets clients of later revisions fall back to initialize"
      (fn []
        ;; The official clients probe with server/discover, and take any 4xx
        ;; without one of the later revision's own codes for "older server".
        (let [answer (client:post
                       {:jsonrpc :2.0 :id "server-discover-probe-1"
                        :method :server/discover
                        :params {:_meta {(mcp.claim :protocolVersion)
                                         "2026-07-28"
                                         (mcp.claim :clientCapabilities)
                                         (json.object {})}}}
                       {"MCP-Protocol-Version" "2026-07-28"
                        "Mcp-Method" "server/discover"})]
          (assert.is_true (and (<= 400 answer.status) (< answer.status 500)))
          (assert.is_truthy (. {-32600 true -32601 true}
                               answer.json.error.code))
          (assert.same "server-discover-probe-1" answer.json.id))))
    (it "answers an unknown method in band"
      (fn []
        (client:open)
        (let [(message answer) (client:rpc :nonsense)]
          (assert.same [200 -32601] [answer.status message.error.code]))))
    (it "knows methods by exact case"
      (fn []
        (client:open)
        (assert.same -32601 (. (client:rpc :Tools/List) :error :code))))))
