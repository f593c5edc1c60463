;; Cases from public reports: the JSON-RPC envelope and the HTTP around it.

(local mcp (require :support.mcp))
(local wire (require :support.wire))
(local {: json} (require :mcp.native))

(describe "the envelope"
  (fn []
    (var (server port client) nil)
    (before_each #(do (set (server port) (mcp.start))
                      (set client (mcp.connected port))))
    (after_each #(do (client:close) (server:stop)))
    (fn ping [id]
      (client:post (.. "{\"jsonrpc\":\"2.0\",\"id\":" id
                       ",\"method\":\"ping\"}")))
    (it "gives every id back as it came (DEV-RPC-1)"
      (fn []
        (each [_ id (ipairs ["0" "1" "-1" "\"a\"" "\"0\"" "\"\""
                             "\"a\\\"b😀\"" "9007199254740991"
                             "9007199254740993" "-9007199254740993"
                             "9223372036854775807"])]
          (let [answer (ping id)]
            (assert.same 200 answer.status)
            (assert.is_truthy
              (answer.body:find (.. "\"id\":" id) 1 true)
              (.. id " in " answer.body))))))
    (it "refuses ids of other types, and makes none up (DEV-RPC-2)"
      (fn []
        (each [_ id (ipairs ["1.5" "true" "[1]" "{\"a\":1}" "null"])]
          (let [answer (ping id)]
            (assert.same [400 -32600 nil]
                         [answer.status answer.json.error.code
                          answer.json.id]
                         id)))))
    (it "takes only version 2.0 and a method that is a string (DEV-RPC-3)"
      (fn []
        (each [_ members (ipairs ["\"jsonrpc\":\"1.0\",\"method\":\"ping\""
                                  "\"jsonrpc\":2.0,\"method\":\"ping\""
                                  "\"method\":\"ping\""
                                  "\"jsonrpc\":\"2.0\",\"method\":5"
                                  "\"jsonrpc\":\"2.0\",\"method\":null"
                                  "\"jsonrpc\":\"2.0\""
                                  "\"JSONRPC\":\"2.0\",\"method\":\"ping\""])]
          (let [answer (client:post (.. "{\"id\":3," members "}"))]
            (assert.same [400 -32600 3]
                         [answer.status answer.json.error.code answer.json.id]
                         members)))))
    (it "takes one JSON value and nothing else (DEV-RPC-4)"
      (fn []
        (let [ping "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"]
          (each [_ body (ipairs ["" " " (.. ping ping) (.. ping " x") "{"
                                 "\128"])]
            (let [answer (client:post body)]
              (assert.same [400 -32700 nil]
                           [answer.status answer.json.error.code
                            answer.json.id]
                           body))))))
    (it "answers a notification with 202 and nothing (DEV-RPC-5)"
      (fn []
        (let [answer (client:post {:jsonrpc :2.0
                                   :method :notifications/initialized})]
          (assert.same [202 "" "0" nil]
                       [answer.status answer.body
                        (. answer.headers :content-length)
                        (. answer.headers :content-type)]))))
    (it "keeps the id when params have the wrong shape (DEV-RPC-6)"
      (fn []
        (each [_ params (ipairs ["" ",\"params\":null" ",\"params\":[]"
                                 ",\"params\":\"x\"" ",\"params\":5"])]
          (let [answer (client:post (.. "{\"jsonrpc\":\"2.0\",\"id\":9,"
                                        "\"method\":\"tools/call\"" params
                                        "}"))]
            (assert.same [200 -32602 9]
                         [answer.status answer.json.error.code answer.json.id]
                         params)))
        (let [answer (client:post (.. "{\"jsonrpc\":\"2.0\",\"id\":9,"
                                      "\"method\":\"tools/list\","
                                      "\"params\":null}"))]
          (assert.same 9 answer.json.id))))
    (it "lets the last of two equal keys win, everywhere (DEV-RPC-7)"
      (fn []
        (let [answer (client:post
                       (.. "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\""
                           ",\"method\":\"tools/call\",\"params\":{\"name\":"
                           "\"noop\",\"name\":\"echo\",\"arguments\":{"
                           "\"text\":\"a\",\"text\":\"b\"}}}"))]
          (assert.same :b (. answer.json.result.content 1 :text)))))
    (it "answers with one object, a result or an error (DEV-RPC-8)"
      (fn []
        (each [_ [method params] (ipairs [[:ping nil]
                                          [:tools/list nil]
                                          [:tools/call {:name :noop}]
                                          [:tools/call {:name :fail}]
                                          [:tools/call {:name :none}]
                                          [:nonsense nil]])]
          (let [message (client:rpc method params)
                keys (icollect [key (pairs message)] key)]
            (table.sort keys)
            (assert.same :2.0 message.jsonrpc)
            (assert.is_truthy (. {"id,jsonrpc,result" true
                                  "error,id,jsonrpc" true}
                                 (table.concat keys ","))
                              (table.concat keys ","))))))
    (it "refuses ids that would be a burden to echo (DEV-LIM-4)"
      (fn []
        (let [answer (ping (.. "\"" (string.rep :x (* 1024 1024)) "\""))]
          (assert.same [400 -32600 nil]
                       [answer.status answer.json.error.code answer.json.id]))
        (let [answer (ping (.. (string.rep "[" 10000) (string.rep "]" 10000)))]
          (assert.same 400 answer.status)
          (assert.is_nil answer.json.id))
        (let [answer (ping (.. (string.rep "[" 50) (string.rep "]" 50)))]
          (assert.same [400 -32600 nil]
                       [answer.status answer.json.error.code
                        answer.json.id]))))
    (it "refuses a batch where there are none"
      (fn []
        (let [answer (client:post [{:jsonrpc :2.0 :id 1 :method :ping}])]
          (assert.same [400 -32600 nil]
                       [answer.status answer.json.error.code
                        answer.json.id]))))
    (it "takes a response, and says nothing to it"
      (fn []
        (assert.same 202 (. (client:post {:jsonrpc :2.0 :id 5
                                          :result (json.object {})})
                            :status))))
    (it "ignores members that it does not know"
      (fn []
        (let [answer (client:post (.. "{\"jsonrpc\":\"2.0\",\"id\":1,"
                                      "\"method\":\"ping\",\"x\":[1],"
                                      "\"params\":{\"y\":{}}}"))]
          (assert.same 200 answer.status))))))

(describe "content negotiation"
  (fn []
    (var (server port client) nil)
    (before_each #(do (set (server port) (mcp.start))
                      (set client (mcp.connected port))))
    (after_each #(do (client:close) (server:stop)))
    (local list {:jsonrpc :2.0 :id 1 :method :tools/list})
    (it "takes a client that accepts JSON however it says so (DEV-CNT-1, 2)"
      (fn []
        (each [_ accept (ipairs [false "application/json" "*/*"
                                 "application/*"
                                 "text/event-stream, application/json"
                                 "application/json;q=0.5"])]
          (let [answer (client:post list {"Accept" accept})]
            (assert.same 200 answer.status (tostring accept))
            (assert.same "application/json"
                         (. answer.headers :content-type))))))
    (it "says 406 to one that takes only what is not there yet (DEV-CNT-3)"
      (fn []
        (assert.same 406 (. (client:post list {"Accept" "text/event-stream"})
                            :status))))
    (it "takes JSON and no other type (DEV-CNT-4)"
      (fn []
        (each [_ [kind status]
               (ipairs [["application/json; charset=utf-8" 200]
                        ["Application/JSON" 200]
                        ["text/plain" 415]
                        ["application/x-www-form-urlencoded" 415]
                        ["multipart/form-data; boundary=x" 415]
                        [false 415]])]
          (assert.same status
                       (. (client:post list {"Content-Type" kind}) :status)
                       (tostring kind)))))))
