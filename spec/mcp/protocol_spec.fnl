;; The shapes of messages. spec/transcripts/envelope.txt has them on the wire.

(local marks (require :mcp.json-marks))
(local protocol (require :mcp.protocol))

(fn classify [message]
  [(protocol.classify message)])

(fn with [fields]
  "A ping with other fields; null takes one out."
  (let [message {:jsonrpc "2.0" :id 1 :method "ping"}]
    (each [name value (pairs fields)]
      (tset message name (if (not= value :none) value)))
    message))

(fn large-integer [digits]
  "What the native library makes of an integer that is too large."
  (let [userdata (io.tmpfile)]
    (debug.setmetatable userdata {:__metatable "json.integer"
                                  :__tostring #digits})
    userdata))

(describe "protocol.classify"
  (fn []
    (it "knows requests and notifications"
      (fn []
        (assert.same [:request 1 "ping"] (classify (with {})))
        (assert.same [:request 1 "ping" {:a 1}]
                     (classify (with {:params {:a 1}})))
        (assert.same [:notification nil "ping" {}]
                     (classify (with {:id :none :params {}})))))
    (it "takes null params for none, and leaves others to the method"
      (fn []
        (assert.same [:request 1 "ping"]
                     (classify (with {:params marks.null})))
        (assert.same [:request 1 "ping" "x"] (classify (with {:params "x"})))))
    (it "gives ids back as they are"
      (fn []
        (each [_ id (ipairs [0 1 -1 9007199254740991 "" "0" "a\"😀"
                             (large-integer "9007199254740993")])]
          (let [(kind echoed) (protocol.classify (with {: id}))]
            (assert.equal :request kind)
            (assert.equal id echoed)))))
    (it "takes no other ids, and makes none up"
      (fn []
        (each [_ id (ipairs [1.5 (/ 1 0) (/ 0 0) true marks.null {} [1]
                             io.stdout])]
          (let [(kind echoed why) (protocol.classify (with {: id}))]
            (assert.equal :invalid kind)
            (assert.is_nil echoed)
            (assert.is_truthy (why:find "an id is")))
          (let [(_ echoed) (protocol.classify (with {: id :jsonrpc "1.0"}))]
            (assert.is_nil echoed)))))
    (it "takes an id as long as it may be, and none longer"
      (fn []
        (let [most protocol.max-id-length]
          (assert.equal :request
                        (protocol.classify (with {:id (string.rep "x" most)})))
          (assert.equal :invalid
                        (protocol.classify
                          (with {:id (string.rep "x" (+ most 1))}))))))
    (it "wants the version, as a string, and keeps the id"
      (fn []
        (each [_ jsonrpc (ipairs [:none "1.0" 2 2.0 "2" marks.null])]
          (assert.same [:invalid 1 "jsonrpc must be the string \"2.0\""]
                       (classify (with {: jsonrpc}))))))
    (it "wants a method that is a string"
      (fn []
        (each [_ method (ipairs [:none 5 marks.null {} true])]
          (assert.same [:invalid 1 "method must be a string"]
                       (classify (with {: method}))))))
    (it "knows responses, whoever waits for them"
      (fn []
        (assert.same [:response 1]
                     (classify {:jsonrpc "2.0" :id 1 :result {}}))
        (assert.same [:response "x"]
                     (classify {:jsonrpc "2.0" :id "x" :error {}}))
        (assert.equal :response
                      (protocol.classify {:jsonrpc "2.0" :id marks.null
                                          :error {}}))
        (assert.equal :invalid (protocol.classify {:id 1 :result {}}))))
    (it "takes a message with a method for a request, whatever else it has"
      (fn []
        (assert.same [:request 1 "ping"] (classify (with {:result {}})))))
    (it "knows batches, and what is no message at all"
      (fn []
        (assert.same [:batch] (classify (marks.array [(with {})])))
        (assert.same [:batch] (classify (marks.array)))
        (each [_ value (ipairs [5 "ping" true false marks.null
                                (marks.raw "{}")])]
          (assert.same [:invalid nil "a message is a JSON object"]
                       (classify value)))
        (assert.equal :invalid (protocol.classify nil))))
    (it "matches keys by exact case"
      (fn []
        (assert.equal :invalid
                      (protocol.classify {:JSONRPC "2.0" :id 1
                                          :method "ping"}))
        (assert.equal :invalid
                      (protocol.classify {:jsonrpc "2.0" :id 1
                                          :Method "ping"}))
        (assert.equal :notification
                      (protocol.classify {:jsonrpc "2.0" :ID 1
                                          :method "ping"}))))))

(describe "an answer"
  (fn []
    (it "has a result or an error, never both (DEV-RPC-8)"
      (fn []
        (assert.same {:jsonrpc "2.0" :id 0 :result {}} (protocol.result 0 {}))
        (assert.same {:jsonrpc "2.0" :id "a"
                      :error {:code -32602 :message "m" :data {:a 1}}}
                     (protocol.failure "a" protocol.codes.invalid-params "m"
                                       {:a 1}))))
    (it "leaves an id out that could not be read"
      (fn []
        (assert.same {:jsonrpc "2.0" :error {:code -32600 :message "m"}}
                     (protocol.failure nil -32600 "m"))))))

(describe "protocol.quoted"
  (fn []
    (it "bounds what comes from outside"
      (fn []
        (assert.equal "\"a\"" (protocol.quoted "a"))
        (assert.equal "\"a b c\"" (protocol.quoted "a\nb\0c"))
        (assert.is_true (< (length (protocol.quoted (string.rep "x" 10000)))
                           100))))
    (it "does not cut inside of a character"
      (fn []
        (let [{: valid?} (require :mcp.utf8-text)]
          (for [n 70 90]
            (assert.is_true (valid? (protocol.quoted
                                      (.. (string.rep "x" n) "é€😀"
                                          (string.rep "é" 20)))))))))))
