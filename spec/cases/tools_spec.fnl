;; Cases from public reports: tools, their results, and data on the way.

(local mcp (require :support.mcp))
(local wire (require :support.wire))
(local {: json} (require :mcp.native))
(local {: ToolRegistry} (require :mcp.tool-registry))
(local facade (require :mcp))

(fn with-tools [definitions test]
  "Runs `test` with a client of a server that has these tools; :description
is filled in."
  (let [tools (ToolRegistry {:namespace-prefix ""})]
    (each [_ definition (ipairs definitions)]
      (set definition.description (or definition.description "A tool."))
      (tools:register definition))
    (let [(server port) (mcp.start {: tools})
          client (mcp.connected port)
          (ok? err) (pcall test client tools)]
      (client:close)
      (server:stop)
      (when (not ok?)
        (error err 0)))))

(fn with-handler [handler test]
  (with-tools [{:name :it : handler}] test))

(fn text [result]
  (?. result :content 1 :text))

(describe "a list of tools"
  (fn []
    (it "has objects and arrays where they belong (DEV-TOOL-1)"
      (fn []
        (with-tools
          [{:name :none :handler #nil}
           {:name :empty :handler #nil
            :input-schema {:type :object :properties {} :required {}}}
           {:name :nested :handler #nil
            :input-schema {:type :object
                           :properties {:a {:type :object :properties {}
                                            :required {}}
                                        :b {:type :array :items {}}
                                        :c {:enum {}}
                                        :d {:default {}}
                                        :e {:default (json.array [])}}}}]
          (fn [client]
            (let [{: body} (client:post {:jsonrpc :2.0 :id 1
                                         :method :tools/list})]
              (each [_ part (ipairs ["\"properties\":{}" "\"required\":[]"
                                     "\"items\":{}" "\"enum\":[]"
                                     "\"default\":{}" "\"default\":[]"])]
                (assert.is_truthy (body:find part 1 true)
                                  (.. part " in " body)))
              (let [tools (. (json.decode body) :result :tools)]
                (each [_ tool (ipairs tools)]
                  (assert.same :object tool.inputSchema.type))))))))
    (it "ends where the tools end (DEV-REG-3)"
      (fn []
        (each [_ count (ipairs [0 1 500])]
          (with-tools
            (fcollect [i 1 count]
              {:name (.. "t" i) :handler #nil})
            (fn [client]
              (let [seen {}]
                (var (total cursor pages) (values 0 nil 0))
                (while (not= cursor :end)
                  (let [message (client:rpc :tools/list {: cursor})
                        result message.result]
                    (set pages (+ pages 1))
                    (assert.is_true (< pages 600))
                    (each [_ tool (ipairs result.tools)]
                      (assert.is_nil (. seen tool.name))
                      (tset seen tool.name true)
                      (set total (+ total 1)))
                    (set cursor (or result.nextCursor :end))))
                (assert.same count total)
                (assert.same -32602
                             (. (client:rpc :tools/list {:cursor "bad"})
                                :error :code))))))))
    (it "follows the registry (DEV-REG-4)"
      (fn []
        (with-tools [{:name :a :handler #:one}]
          (fn [client tools]
            (tools:unregister :a)
            (assert.same 0 (length (. (client:rpc :tools/list) :result
                                      :tools)))
            (assert.same -32602 (. (client:rpc :tools/call {:name :a})
                                   :error :code))
            (tools:register {:name :a :description "Again."
                             :handler #:two})
            (assert.same :two (text (client:tool :a)))
            (assert.has_error #(tools:register {:name :a :description "x"
                                                :handler #nil}))))))))

(describe "a call"
  (fn []
    (it "needs no arguments (DEV-TOOL-3)"
      (fn []
        (with-handler (fn [args] (.. (type args) (tostring (next args))))
          (fn [client]
            (each [_ params (ipairs ["" ",\"arguments\":null"
                                     ",\"arguments\":{}"])]
              (let [{: body} (client:post
                               (.. "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
                                   "\"tools/call\",\"params\":{\"name\":"
                                   "\"it\"" params "}}"))]
                (assert.same :tablenil
                             (text (. (json.decode body) :result)))))))))
    (it "that fails is a result that says so (DEV-TOOL-2)"
      (fn []
        (each [_ [handler part]
               (ipairs [[#(error "boom") "boom"]
                        [#(error {:code 1}) ""]
                        [#(error nil) ""]
                        [#(error) ""]
                        [(fn [_ ctx] (ctx.sleep 0) (error "late boom"))
                         "late boom"]
                        [#(let [f (fn f [n] (+ 1 (f n)))] (f 1))
                         "stack overflow"]
                        [#(values nil "no such ball") "no such ball"]
                        [#(coroutine.yield :what) ""]])]
          (with-handler handler
            (fn [client]
              (let [result (client:tool :it)]
                (assert.is_true result.isError)
                (assert.is_truthy (string.find (text result) part 1 true)
                                  (text result))
                (assert.is_nil (string.find (text result) "stack traceback"
                                            1 true)))
              (assert.same {} (. (client:rpc :ping) :result)))))))
    (it "ends at its own time limit (DEV-TOOL-2)"
      (fn []
        (with-tools [{:name :it :timeout 0.02
                      :handler (fn [_ ctx] (while true (ctx.sleep 0.005)))}]
          (fn [client]
            (let [result (client:tool :it)]
              (assert.is_true result.isError)
              (assert.is_truthy (string.find (text result) "0.02" 1 true)
                                (text result)))))))
    (it "always has content (DEV-TOOL-4)"
      (fn []
        (each [_ [handler content structured]
               (ipairs [[#nil []] [#(values) []]
                        [#"" [""]] [#5 ["5"]] [#true ["true"]]
                        [#{:a 1} ["{\"a\":1}"] {:a 1}]
                        [#[1 2] ["[1,2]"]]
                        [#(facade.text "hi") ["hi"]]
                        [#[(facade.text "a") (facade.text "b")] ["a" "b"]]])]
          (with-handler handler
            (fn [client]
              (let [result (client:tool :it)]
                (assert.same :array (. (getmetatable result.content)
                                       :__jsontype))
                (assert.same content (icollect [_ block (ipairs result.content)]
                                       block.text))
                (assert.same structured result.structuredContent)
                (assert.is_nil (or result.isError nil))))))))
    (it "does not pass broken content on (DEV-TOOL-4)"
      (fn []
        (each [_ value (ipairs [{:content [{:text "no type"}]}
                                [{:type :text}]
                                [{:type :text :text 5}]
                                {:type :image :data 5}])]
          (with-handler #value
            (fn [client]
              (let [result (client:tool :it)]
                (each [_ block (ipairs result.content)]
                  (assert.same :string (type block.type))
                  (when (= block.type :text)
                    (assert.same :string (type block.text))))))))))
    (it "says what cannot be sent (DEV-TOOL-5, DEV-DATA-3, DEV-DATA-5)"
      (fn []
        (let [loop {}]
          (set loop.loop loop)
          (each [_ value (ipairs [{:f print} {:t (coroutine.create #nil)}
                                  {:u io.stdout} loop {:k {[{}] 1}}
                                  {:n (/ 0 0)} {:n (/ 1 0)} {:n (/ -1 0)}
                                  {:l [1 nil 3]} {:l {1 1 1000000 1}}
                                  {:l {1 1 :a 2}} {:l {0 1}} {:l {1.5 1}}])]
            (with-handler #value
              (fn [client]
                (let [result (client:tool :it)]
                  (assert.is_true result.isError)
                  (assert.is_truthy (string.find (text result) "[a-z]"))
                  (assert.is_nil result.structuredContent))))))))
    (it "keeps its result when the tool goes (DEV-REG-2)"
      (fn []
        (var registry nil)
        (with-tools
          [{:name :gone :handler #(do (registry:unregister :gone) :bye)}
           {:name :new :handler (fn [_ ctx]
                                  (registry:replace {:name :new
                                                     :description "New."
                                                     :handler #:second})
                                  (ctx.sleep 0)
                                  :first)}]
          (fn [client tools]
            (set registry tools)
            (assert.same :bye (text (client:tool :gone)))
            (assert.same :first (text (client:tool :new)))
            (assert.same :second (text (client:tool :new)))))))))

(describe "data"
  (fn []
    (it "comes back as it went (DEV-DATA-1, 4, 6, 7)"
      (fn []
        (let [(server port) (mcp.start)
              client (mcp.connected port)]
          (each [_ value (ipairs ["\"\\ud83d\\ude00 \\uD834\\uDD1E é\""
                                  "\"a\\/b\\u0041\\u4e2d\\b\\f\""
                                  "{\"l\":[]}" "{\"o\":{}}" "[[],{},[[],{}]]"
                                  "9007199254740993" "1752846191234567890"
                                  "-9223372036854775808"
                                  "9223372036854775808" "[1,null,2.5,true]"
                                  "\"a\\u0000b\""])]
            (let [{: body} (client:post
                             (.. "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
                                 "\"tools/c\\u0061ll\",\"params\":{\"name\":"
                                 "\"s\\u0061me\",\"arguments\":"
                                 "{\"v\\u0061lue\":" value "}}}"))
                  expected (json.encode (json.decode value))
                  got (?. (json.decode body) :result :structuredContent
                          :value)]
              (assert.same expected (json.encode got) body)))
          (client:close)
          (server:stop))))
    (it "is valid UTF-8 whatever a handler returns (DEV-DATA-2, 8)"
      (fn []
        (each [_ [value part] (ipairs [["\128" "\239\191\189"]
                                       ["\255\254" "\239\191\189"]
                                       ["a\0b" "a\0b"]
                                       ["cut \195" "cut \239\191\189"]])]
          (with-handler #value
            (fn [client]
              (assert.same part
                           (string.sub (text (client:tool :it)) 1
                                       (length part))))))
        (with-handler #(error "x\0y")
          (fn [client]
            (assert.is_truthy (string.find (text (client:tool :it)) "x%zy"))))))
    (it "may be nested, to a point (DEV-DATA-9)"
      (fn []
        (let [(server port) (mcp.start)
              client (mcp.connected port)
              nested (fn [n]
                       (client:post
                         (.. "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":"
                             "\"tools/call\",\"params\":{\"name\":\"same\","
                             "\"arguments\":{\"value\":" (string.rep "[" n)
                             (string.rep "]" n) "}}}")))
              answer (nested 100)]
          (assert.same 4 answer.json.id)
          (assert.is_truthy (answer.body:find (string.rep "[" 100) 1 true))
          (each [_ n (ipairs [1000 100000])]
            (let [answer (nested n)]
              (assert.is_true (< answer.status 500))
              (assert.is_truthy (or answer.json.error
                                    answer.json.result.isError)
                                (tostring n))))
          (client:close)
          (server:stop))))
    (it "can be an image of raw bytes"
      (fn []
        (with-handler #(facade.image "\137PNG\0\255" "image/png")
          (fn [client]
            (assert.same {:type :image :data "iVBORwD/" :mimeType "image/png"}
                         (. (client:tool :it) :content 1))))))))
