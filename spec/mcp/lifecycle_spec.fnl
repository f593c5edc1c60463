;; How a session begins. spec/transcripts/lifecycle.txt has it on the wire.

(local {: create : open : request} (require :support.handling))
(local marks (require :mcp.json-marks))

(local newest "2025-11-25")

(describe "initialize"
  (fn []
    (var world nil)
    (before_each #(set world (create [] {:instructions "Be kind."})))
    (fn initialize [params ?context]
      (request world :initialize params ?context))
    (it "says who the server is and what it can"
      (fn []
        (assert.same {:protocolVersion newest
                      :capabilities {:tools {}}
                      :serverInfo {:name "spec" :version "1"}
                      :instructions "Be kind."}
                     (. (initialize {:protocolVersion newest})
                        :message :result))))
    (it "opens a session that knows what the client said"
      (fn []
        (let [{: session} (initialize
                            {:protocolVersion "2025-06-18"
                             :clientInfo {:name "c" :version "2" :title "C"}
                             :capabilities {:roots {:listChanged true}
                                            :sampling {}
                                            :elicitation {:form {}
                                                          :url marks.null}
                                            :experimental {:x {}}}})]
          (assert.equal session (world.sessions:find "s1"))
          (assert.equal "2025-06-18" session.version)
          (assert.same {:name "c" :version "2" :title "C"} session.client)
          (assert.same {:roots {:listChanged true}
                        :sampling {}
                        :elicitation {:form true}}
                       session.capabilities))))
    (it "keeps no more than it needs of what the client said"
      (fn []
        (let [long (string.rep "x" 1000000)
              {: session} (initialize {:protocolVersion newest
                                       :clientInfo {:name long :version 5}
                                       :capabilities {long {}}})]
          (assert.equal 200 (length session.client.name))
          (assert.is_nil session.client.version)
          (assert.same {} session.capabilities))))
    (it "opens nothing for slips (DEV-LIF-3)"
      (fn []
        (each [_ params (ipairs [false {} {:protocolVersion 5}
                                 {:protocolVersion newest :clientInfo "c"}
                                 {:protocolVersion newest :clientInfo 5}
                                 {:protocolVersion newest :capabilities "c"}
                                 {:protocolVersion marks.null}])]
          (let [{: kind : message : session} (initialize (or params nil))]
            (assert.equal :answer kind)
            (assert.equal -32602 message.error.code)
            (assert.is_nil session)))
        (assert.equal 0 (world.sessions:count))))
    (it "lets pass what nothing depends on"
      (fn []
        (each [_ [info capabilities] (ipairs [[nil nil]
                                              [marks.null marks.null]
                                              [{} (marks.array)]
                                              [{:name 5} {:roots true}]])]
          (assert.is_truthy (. (initialize {:protocolVersion newest
                                            :clientInfo info
                                            : capabilities})
                               :session)))))
    (it "is refused in a live session, which works on (DEV-SES-2)"
      (fn []
        (let [context (open world "2025-06-18")
              {: kind : message : session} (initialize
                                             {:protocolVersion newest}
                                             context)]
          (assert.equal :invalid kind)
          (assert.same [1 -32600] [message.id message.error.code])
          (assert.is_nil session)
          (assert.equal 1 (world.sessions:count))
          (assert.equal "2025-06-18" context.session.version))))
    (it "works with the id of a session that is gone (DEV-SES-1)"
      (fn []
        (assert.is_truthy (. (initialize {:protocolVersion newest}
                                         {:unknown-session true})
                             :session))))))

(describe "ping"
  (fn []
    (it "is answered, with a session and without"
      (fn []
        (let [world (create)]
          (assert.same {} (. (request world :ping) :message :result))
          (assert.same {} (. (request world :ping nil (open world))
                             :message :result)))))))
