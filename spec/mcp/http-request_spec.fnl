;; What the head of a request says.

(local http-request (require :mcp.http-request))

(fn with [headers ?query]
  {: headers :query (or ?query {})})

(describe "the body"
  (fn []
    (it "is JSON if it is declared so, and only then (DEV-CNT-4)"
      (fn []
        (each [_ [kind json?]
               (ipairs [["application/json" true] ["Application/JSON" true]
                        ["application/json; charset=utf-8" true]
                        ["application/json;charset=utf-8" true]
                        [["application/json" "application/json"] true]
                        ["application/jsonp" false] ["text/json" false]
                        ["text/plain" false] ["" false] [";" false]
                        ["application/json, text/plain" false]
                        [["application/json" "text/plain"] false]])]
          (assert.equal json?
                        (or (http-request.json-body?
                              (with {:content-type kind}))
                            false)
                        (tostring kind)))
        (assert.is_falsy (http-request.json-body? (with {})))))))

(describe "the client"
  (fn []
    (it "takes JSON if it says so, or nothing (DEV-CNT-1, DEV-CNT-2)"
      (fn []
        (each [_ [accept takes?]
               (ipairs [["application/json" true] ["*/*" true]
                        ["application/*" true] ["" true] [" " true]
                        ["application/json, text/event-stream" true]
                        ["text/event-stream,APPLICATION/JSON" true]
                        ["text/event-stream, */*;q=0.1" true]
                        ["application/json;q=0.5" true]
                        [["text/event-stream" "application/json"] true]
                        ["text/event-stream" false] ["text/html" false]
                        ["application/json;q=0" false]
                        ["application/json; q=0.000" false]
                        ["application/jsonp" false] [",;," false]])]
          (assert.equal takes?
                        (or (http-request.accepts-json? (with {: accept}))
                            false)
                        (tostring accept)))
        (assert.is_truthy (http-request.accepts-json? (with {})))))))

(describe "the session"
  (fn []
    (it "is named in the header or in the query; twice if it is the same"
      (fn []
        (each [_ [header query expected]
               (ipairs [[nil nil nil] ["a" nil "a"] [nil "a" "a"] ["a" "a" "a"]
                        [["a" "a"] nil "a"] [nil ["a" "a"] "a"]
                        ["a" "b" false] [["a" "b"] nil false]
                        [nil ["a" "b"] false] [["a" "b"] "a" false]
                        ["" nil ""]])]
          (assert.equal expected
                        (http-request.session-id
                          (with {:mcp-session-id header}
                                {:sessionId query}))))))))

(describe "the version"
  (fn []
    (it "is what the header says, or both things that it says"
      (fn []
        (each [_ [header expected] (ipairs [[nil nil] ["a" "a"]
                                            [["a" "a"] "a"]
                                            [["a" "b"] "a,b"]])]
          (assert.equal expected
                        (http-request.version
                          (with {:mcp-protocol-version header}))))))))
