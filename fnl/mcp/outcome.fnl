;; mcp.outcome: what can come of a message. The contract between the handler,
;; which knows MCP and no transport, and whoever carries messages, which knows
;; a transport's own words for these, such as HTTP's statuses.
;;
;;   {:kind :answer :message m}     a request was carried out, or failed as
;;                                  requests may; m answers it
;;   {:kind :answer :message m :session s}    ... and opened a session
;;   {:kind :later}                 a call goes on; context.reply will be called
;;                                  with the answer, once
;;   {:kind :accepted}              a notification or a response: nothing to say
;;   {:kind :invalid :message m}    not a message that is taken here
;;   {:kind :no-session :message m}        a session is needed, none was named
;;   {:kind :unknown-session :message m}   the one that was named is not there
;;
;; Every m is one JSON-RPC object (mcp.protocol), with the id if there is one.

(local protocol (require :mcp.protocol))

(fn answer [id result]
  "A request was carried out; `result` is a table."
  {:kind :answer :message (protocol.result id result)})

(fn failure [id code message ?data]
  "A request failed, and the client is told in band. `code` is one of the names
in protocol.codes."
  {:kind :answer
   :message (protocol.failure id (. protocol.codes code) message ?data)})

(fn refusal [kind ?id message]
  "A message was not taken: `kind` is :invalid, :no-session or :unknown-session.
The code is one that each revision has (requirements 1.7): clients that try a
newer revision first take it as a sign to fall back."
  {: kind
   :message (protocol.failure ?id protocol.codes.invalid-request message)})

(fn later []
  "A call goes on."
  {:kind :later})

(fn accepted []
  "There is nothing to say."
  {:kind :accepted})

{: answer : failure : refusal : later : accepted}
