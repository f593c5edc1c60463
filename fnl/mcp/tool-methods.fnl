;; mcp.tool-methods: tools/list and tools/call (2025-11-25, Tools).

(local marks (require :mcp.json-marks))
(local outcome (require :mcp.outcome))
(local {: quoted} (require :mcp.protocol))
(local results (require :mcp.result))

(fn list [handler {: id : params : session}]
  "One page of the tools (Listing Tools; Pagination)."
  (let [cursor (?. params :cursor)]
    (case (handler.tools:page {:cursor (if (not (marks.absent? cursor)) cursor)
                               :version session.version
                               :encode handler.encode
                               :size handler.page-size})
      (nil why) (outcome.failure id :invalid-params why)
      (tools ?next-cursor) (outcome.answer id {: tools
                                               :nextCursor ?next-cursor}))))

(fn result-of [handler tool version kind ?a ?b]
  "How a call of a tool ended, as its result."
  (case kind
    :returned (results.returned ?a ?b version handler.encode)
    :raised (let [result (results.raised ?a (if handler.expose-tracebacks ?b))]
              (handler.log.warn :tool-raised
                                {:tool tool.name
                                 :error (. result.content 1 :text)
                                 :traceback ?b})
              result)
    :timed-out (results.failed (string.format
                                 "%s did not end within %s seconds" tool.name
                                 (tostring tool.timeout)))
    :cancelled (results.failed (.. tool.name " was cancelled"))))

(fn call [handler {: id : params : session &as request}]
  "Calls a tool (Calling Tools; Error Handling): what is wrong with the request
is an error of the protocol, what goes wrong in the tool is a result that says
so. The call goes on with the tool as it was when it began, whatever happens to
the registry."
  (let [name (?. params :name)
        arguments (?. params :arguments)
        tool (and (= (type name) :string) (handler.tools:get name))
        wrong #(outcome.failure id :invalid-params $)]
    (if (not= (type name) :string) (wrong "tools/call needs a name, a string")
        (not tool) (wrong (.. "there is no tool " (quoted name)))
        (not (or (marks.absent? arguments) (marks.object? arguments)))
        (wrong "arguments must be an object")
        (case (handler:run request
                           {:run tool.handler
                            :args (if (marks.absent? arguments) {} arguments)
                            :timeout tool.timeout
                            :result #(result-of handler tool session.version
                                                $...)})
          (nil why) (outcome.answer id (results.failed why))
          outcome outcome))))

{:requests {:tools/list list :tools/call call} :capability :tools}
