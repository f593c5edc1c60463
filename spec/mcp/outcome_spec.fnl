;; The contract between the handler and whoever carries messages.

(local outcome (require :mcp.outcome))

(describe "an outcome"
  (fn []
    (it "answers a request, with a result or an error"
      (fn []
        (assert.same {:kind :answer
                      :message {:jsonrpc "2.0" :id 0 :result {:a 1}}}
                     (outcome.answer 0 {:a 1}))
        (assert.same {:kind :answer
                      :message {:jsonrpc "2.0"
                                :id 1
                                :error {:code -32602 :message "m"}}}
                     (outcome.failure 1 :invalid-params "m"))))
    (it "refuses with a code that each revision has (requirements 1.7)"
      (fn []
        (each [_ kind (ipairs [:invalid :no-session :unknown-session])]
          (assert.same {: kind
                        :message {:jsonrpc "2.0"
                                  :error {:code -32600 :message "m"}}}
                       (outcome.refusal kind nil "m")))))
    (it "may have nothing to say, or not yet"
      (fn []
        (assert.same {:kind :accepted} (outcome.accepted))
        (assert.same {:kind :later} (outcome.later))))))
