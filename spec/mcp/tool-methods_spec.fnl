;; tools/list and tools/call. spec/transcripts/tools.txt has them on the wire.

(local {: create : open : pass : request} (require :support.handling))
(local marks (require :mcp.json-marks))

(fn with-tool [handler ?fields ?options]
  "A world with one tool `it`, and the context of a session."
  (let [tool {:name "it" : handler}
        world (create [(collect [k v (pairs (or ?fields {})) &into tool] k v)]
                      ?options)]
    (values world (open world))))

(fn call [world context ?arguments ?id]
  "The result of calling `it`, or the whole outcome if it is none yet."
  (let [outcome (request world :tools/call
                         {:name "it" :arguments ?arguments} context)]
    (or (?. outcome :message :result) outcome)))

(fn text [result]
  (. result.content 1 :text))

(describe "tools/list"
  (fn []
    (it "lists in order of registration, page by page"
      (fn []
        (let [world (create (fcollect [i 1 5] {:name (.. "t" i) :handler #nil})
                            {:page-size 2})
              context (open world)
              names []]
          (var cursor nil)
          (while (not= cursor :end)
            (let [{: result} (. (request world :tools/list {: cursor} context)
                                :message)]
              (each [_ tool (ipairs result.tools)]
                (table.insert names tool.name))
              (set cursor (or result.nextCursor :end))))
          (assert.same ["t1" "t2" "t3" "t4" "t5"] names))))
    (it "is an array, also without tools"
      (fn []
        (let [world (create)
              {: message} (request world :tools/list nil (open world))]
          (assert.equal :array (marks.kind-of message.result.tools))
          (assert.is_nil message.result.nextCursor))))
    (it "refuses a bad cursor; null is none"
      (fn []
        (let [(world context) (with-tool #nil)]
          (each [_ cursor (ipairs ["" "x" 5 {}])]
            (let [{: message} (request world :tools/list {: cursor} context)]
              (assert.equal -32602 message.error.code)))
          (assert.is_truthy (. (request world :tools/list
                                        {:cursor marks.null} context)
                               :message :result)))))))

(describe "tools/call"
  (fn []
    (it "runs the handler with the arguments"
      (fn []
        (let [(world context) (with-tool (fn [args] args.text))]
          (assert.equal "hi" (text (call world context {:text "hi"}))))))
    (it "gives a table where there are none (DEV-TOOL-3)"
      (fn []
        (let [(world context) (with-tool #(.. (type $) (tostring (next $))))]
          (each [_ arguments (ipairs [false marks.null (marks.object)])]
            (assert.equal "tablenil"
                          (text (call world context (or arguments nil))))))))
    (it "shows the handler who asks"
      (fn []
        (var seen nil)
        (let [world (create [{:name "it" :handler (fn [_ ctx] (set seen ctx)
                                                     nil)}])
              replies []
              {: session} (request world :initialize
                                   {:protocolVersion "2025-06-18"
                                    :clientInfo {:name "c" :version "2"}})]
          (request world :tools/call {:name "it" :_meta {:progressToken 0}}
                   {: session})
          (assert.same {:progressToken 0} seen.meta)
          (assert.equal "c" seen.client.name)
          (assert.equal "s1" seen.session.id)
          (assert.equal "2025-06-18" seen.session.version)
          (request world :tools/call {:name "it" :_meta marks.null}
                   {: session})
          (assert.is_nil seen.meta))))
    (it "says what is wrong with the request (DEV-RPC-6)"
      (fn []
        (let [(world context) (with-tool #(error "not run"))]
          (each [_ params (ipairs [false {} {:name 5} {:name marks.null}
                                   {:name "none"} {:name "IT"}
                                   {:name "it" :arguments (marks.array [1])}
                                   {:name "it" :arguments "x"}])]
            (let [{: kind : message} (request world :tools/call
                                              (or params nil) context)]
              (assert.same [:answer 1 -32602]
                           [kind message.id message.error.code]))))))
    (it "bounds the name that it gives back"
      (fn []
        (let [(world context) (with-tool #nil)
              {: message} (request world :tools/call
                                   {:name (string.rep "x" 1000000)} context)]
          (assert.is_true (< (length message.error.message) 200)))))
    (it "says what went wrong in the tool, as a result (DEV-TOOL-2)"
      (fn []
        (each [_ [handler message] (ipairs [[#(error "boom") "boom"]
                                            [#(error {:message "m"}) "m"]
                                            [#(values nil "no") "no"]
                                            [#{:f print}
                                             (.. "the tool's result cannot be "
                                                 "sent: f: a function cannot "
                                                 "be JSON")]])]
          (let [(world context) (with-tool handler)
                result (call world context)]
            (assert.is_true result.isError)
            (assert.equal message (text result))))))
    (it "logs what was raised, and shows the traceback only if told to"
      (fn []
        (each [_ expose-tracebacks (ipairs [false true])]
          (let [(world context) (with-tool #(error "boom") {}
                                           {: expose-tracebacks})
                result (call world context)
                [{: event : level : fields}] world.records]
            (assert.same [:tool-raised :warn "it"] [event level fields.tool])
            (assert.is_truthy (fields.traceback:find "stack traceback"))
            (assert.equal expose-tracebacks
                          (not= nil (: (text result) :find
                                       "stack traceback")))))))))

(describe "a call that waits"
  (fn []
    (it "is answered later, once, with its id"
      (fn []
        (let [(world context) (with-tool (fn [_ ctx] (ctx.sleep 1) "done"))]
          (assert.equal :later (. (call world context) :kind))
          (assert.equal 1 (length context.session.calls))
          (pass world 1)
          (assert.same [{:jsonrpc "2.0"
                         :id 1
                         :result {:content [{:type :text :text "done"}]}}]
                       context.replies)
          (assert.equal 0 (length context.session.calls)))))
    (it "has a limit, if its tool has one"
      (fn []
        (let [(world context) (with-tool (fn [_ ctx] (ctx.sleep 9))
                                         {:timeout 0.5})]
          (call world context)
          (pass world 0.5)
          (let [[{: result}] context.replies]
            (assert.is_true result.isError)
            (assert.equal "it did not end within 0.5 seconds"
                          (text result))))))
    (it "is one too many, if so many run already"
      (fn []
        (let [(world context) (with-tool (fn [_ ctx] (ctx.sleep 1)))]
          (for [_ 1 3]
            (call world context))
          (let [result (call world context)]
            (assert.is_true result.isError)
            (assert.is_truthy (: (text result) :find "3 calls are running"
                                 1 true))))))
    (it "gives its result though the tool is gone, or another (DEV-REG-2)"
      (fn []
        (each [_ change (ipairs [#($:unregister "it")
                                 #($:replace {:name "it" :description "New."
                                              :handler #"new"})])]
          (let [(world context) (with-tool (fn [_ ctx] (ctx.sleep 1) "old"))]
            (call world context)
            (change world.tools)
            (pass world 1)
            (assert.equal "old" (text (. context.replies 1 :result)))))))
    (it "gives its result though it takes its own tool out (DEV-REG-2)"
      (fn []
        (var tools nil)
        (let [(world context) (with-tool #(do (tools:unregister "it") "bye"))]
          (set tools world.tools)
          (assert.equal "bye" (text (call world context)))
          (assert.equal -32602 (. (call world context) :message :error
                                  :code)))))))
