;; What a message means. The rules of the wire are in spec/transcripts; here is
;; what those cannot show.

(local {: create : handle : notify : open : pass : request}
       (require :support.handling))
(local marks (require :mcp.json-marks))

(local claim "io.modelcontextprotocol/protocolVersion")

(describe "a message"
  (fn []
    (it "never makes the handler raise, whatever it is"
      (fn []
        (let [world (create)
              context (open world)
              shapes [false true 5 "x" {} [] [[]] marks.null (marks.array)
                      (marks.object) {:a {:b [{}]}}]]
          (each [_ shape (ipairs shapes)]
            (handle world shape context)
            (each [_ method (ipairs [:initialize :ping :tools/list :tools/call
                                     :notifications/cancelled
                                     :notifications/initialized :nonsense
                                     ""])]
              (request world method shape context)
              (notify world method shape context)
              (request world method {:name shape :cursor shape
                                     :requestId shape :arguments shape
                                     :protocolVersion shape :_meta shape}
                       context)))
          (handle world nil context)
          (assert.same [] world.records))))
    (it "is an object, or a batch, which is not taken"
      (fn []
        (let [world (create)]
          (assert.equal :invalid (. (handle world 5) :kind))
          (assert.equal :invalid (. (handle world (marks.array)) :kind)))))
    (it "with a method that there is not is answered in band"
      (fn []
        (let [world (create)
              {: kind : message} (request world :nonsense nil (open world))]
          (assert.same [:answer -32601 1]
                       [kind message.error.code message.id]))))
    (it "is not taken for a method that Lua has"
      (fn []
        (let [world (create)
              context (open world)]
          (each [_ method (ipairs ["handle" "requests" "__index" "run"])]
            (assert.equal -32601 (. (request world method nil context)
                                    :message :error :code))))))))

(describe "a session"
  (fn []
    (it "is needed for all but initialize and ping"
      (fn []
        (let [world (create)]
          (each [_ method (ipairs [:tools/list :tools/call :nonsense])]
            (assert.equal :no-session (. (request world method) :kind)))
          (assert.equal :no-session
                        (. (notify world :notifications/initialized) :kind))
          (assert.equal :no-session
                        (. (handle world {:jsonrpc "2.0" :id 1 :result {}})
                           :kind)))))
    (it "that is gone is said to be, whatever else is wrong (DEV-SES-1)"
      (fn []
        (let [world (create)
              gone {:unknown-session true}]
          (each [_ method (ipairs [:tools/list :ping :nonsense])]
            (let [{: kind : message} (request world method 5 gone)]
              (assert.same [:unknown-session 1] [kind message.id])))
          (assert.equal :unknown-session
                        (. (notify world :notifications/initialized nil gone)
                           :kind)))))
    (it "takes notifications and responses without a word"
      (fn []
        (let [world (create)
              context (open world)]
          (assert.same {:kind :accepted}
                       (notify world :notifications/initialized nil context))
          (assert.same {:kind :accepted} (notify world :nonsense nil context))
          (assert.same {:kind :accepted}
                       (handle world {:jsonrpc "2.0" :id 5 :result {}}
                               context)))))))

(describe "a revision that is not spoken"
  (fn []
    (it "is refused wherever it is named, with the ones that are"
      (fn []
        (let [world (create)
              session (. (open world) :session)]
          (each [_ [params context]
                 (ipairs [[{:_meta {claim "2026-07-28"}} {}]
                          [{:_meta {claim "2026-07-28"}} {: session}]
                          [{:_meta {claim 5}} {}]
                          [nil {:version-header "2026-07-28"}]
                          [nil {:version-header "" : session}]
                          [nil {:version-header "2099-01-01" : session}]
                          [nil {:version-header "2099-01-01"
                                :unknown-session true}]])]
            (each [_ method (ipairs [:server/discover :tools/list :ping
                                     :initialize])]
              (let [{: kind : message} (request world method params context)]
                (assert.same [:invalid 1 -32600]
                             [kind message.id message.error.code])
                (assert.is_truthy (: message.error.message :find
                                     "2025-11-25, 2025-06-18, 2025-03-26"
                                     1 true))))
            (assert.equal :invalid (. (notify world :x params context)
                                      :kind))))))
    (it "is not one that we know, or none at all (DEV-LIF-2)"
      (fn []
        (let [world (create)
              session (. (open world "2025-06-18") :session)]
          (each [_ version-header (ipairs [false "2025-06-18" "2025-11-25"
                                           "2025-03-26"])]
            (assert.equal :answer
                          (. (request world :tools/list nil
                                      {: session
                                       :version-header (or version-header
                                                           nil)})
                             :kind)))
          (assert.equal :answer (. (request world :ping {:_meta {:a 1}})
                                   :kind))
          (assert.equal :answer (. (request world :ping {:_meta []})
                                   :kind)))))))

(describe "a call's end"
  (fn []
    (it "is when its client begins to be idle"
      (fn []
        (let [world (create [{:name "it"
                              :handler (fn [_ ctx] (ctx.sleep 9000) "slept")}])
              context (open world)]
          (request world :tools/call {:name "it"} context)
          (pass world 9000)
          (assert.equal 1 (length context.replies))
          (pass world 3599)
          (assert.is_truthy (world.sessions:find "s1")))))))

(describe "a cancellation"
  (fn []
    (fn sleeping []
      (let [world (create [{:name "it"
                            :handler (fn [_ ctx] (ctx.sleep 1) "slept")}])
            context (open world)]
        (fn start [id]
          (handle world {:jsonrpc "2.0" : id :method :tools/call
                         :params {:name "it"}}
                  context))
        (values world context start)))
    (it "ends the call with that id, of that type (DEV-CON-3)"
      (fn []
        (let [(world context start) (sleeping)]
          (start 1)
          (start "1")
          (notify world :notifications/cancelled {:requestId "1"} context)
          (let [[{: id : result} second] context.replies]
            (assert.same ["1" true] [id result.isError])
            (assert.is_nil second))
          (pass world 1)
          (assert.same [1 nil] [(. context.replies 2 :id)
                                (. context.replies 2 :result :isError)])
          (assert.equal 2 (length context.replies)))))
    (it "of another session, or of nothing, does nothing"
      (fn []
        (let [(world context start) (sleeping)
              other (open world)]
          (start 1)
          (notify world :notifications/cancelled {:requestId 1} other)
          (each [_ params (ipairs [{} {:requestId 2} {:requestId marks.null}
                                   {:requestId {}} false])]
            (notify world :notifications/cancelled (or params nil) context))
          (assert.same [] context.replies)
          (pass world 1)
          (assert.equal 1 (length context.replies)))))))

(describe "a bug of ours"
  (fn []
    (it "is an answer with the id, and says nothing of the inside"
      (fn []
        (let [world (create)
              context (open world)]
          (set world.handler.tools {:page #(error "a secret")})
          (let [{: kind : message} (request world :tools/list nil context)]
            (assert.same [:answer 1 -32603 "internal error"]
                         [kind message.id message.error.code
                          message.error.message])
            (assert.equal :internal-error (. world.records 1 :event))
            (assert.is_truthy (: (. world.records 1 :fields :traceback) :find
                                 "a secret" 1 true))))))
    (it "in a call that waited is an answer too"
      (fn []
        (let [world (create [{:name "it"
                              :handler (fn [_ ctx] (ctx.sleep 1) (error))}])
              context (open world)]
          (request world :tools/call {:name "it"} context)
          (set world.handler.log.warn #(error "a secret"))
          (pass world 1)
          (assert.same [{:jsonrpc "2.0"
                         :id 1
                         :error {:code -32603 :message "internal error"}}]
                       context.replies)
          (assert.equal 0 (length context.session.calls)))))))

(describe "handler:method-of"
  (fn []
    (it "names the methods that there are, and no others"
      (fn []
        (let [{: handler} (create)]
          (each [_ method (ipairs [:initialize :ping :tools/list :tools/call
                                   :notifications/initialized
                                   :notifications/cancelled])]
            (assert.equal method (handler:method-of {: method})))
          (each [_ message (ipairs [{:method "x"} {:method 5} {} 5 false
                                    (marks.array) marks.null])]
            (assert.equal :other (handler:method-of message)))
          (assert.equal :other (handler:method-of nil)))))))
