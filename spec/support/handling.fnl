;; support.handling: a handler of messages without any transport, with a clock
;; that a test moves.

(local {: create-calls} (require :mcp.call))
(local {: create-handler} (require :mcp.handler))
(local {: create-logger} (require :mcp.log))
(local {: create-store} (require :mcp.session))
(local json-text (require :support.json-text))
(local {: ToolRegistry} (require :mcp.tool-registry))

(fn create [?tools ?options]
  "{:handler :sessions :calls :tools :records :time}, with these definitions of
tools (:description is filled in) and options of create-handler."
  (let [world {:time 0 :records [] :tools (ToolRegistry)}
        now #world.time]
    (each [_ tool (ipairs (or ?tools []))]
      (set tool.description (or tool.description "A tool."))
      (world.tools:register tool))
    (var ids 0)
    (set world.calls (create-calls {: now :cap 3}))
    (set world.sessions (create-store {: now
                                       :ttl 3600
                                       :cap 10
                                       :uuid #(do (set ids (+ ids 1))
                                                  (.. "s" ids))}))
    (let [parts {:sessions world.sessions
                 :calls world.calls
                 :tools world.tools
                 :encode json-text.encode
                 :info {:name "spec" :version "1"}
                 :log (create-logger #(table.insert world.records $))}]
      (set world.handler
           (create-handler (collect [name part (pairs (or ?options {}))
                                     &into parts]
                             name part))))
    world))

(fn plain [value]
  "A value as a client gets it: encoded and decoded."
  (json-text.decode (json-text.encode value)))

(fn handle [{: handler} message ?context]
  "The outcome for a message, its own message as a client gets it."
  (let [outcome (handler:handle message (or ?context {}))]
    (when outcome.message
      (set outcome.message (plain outcome.message)))
    outcome))

(fn request [world method ?params ?context]
  "The outcome for a request with the id 1."
  (handle world {:jsonrpc "2.0" :id 1 : method :params ?params} ?context))

(fn notify [world method ?params ?context]
  (handle world {:jsonrpc "2.0" : method :params ?params} ?context))

(fn open [world ?version]
  "A context with a new session; its :replies are what comes later."
  (let [{: session} (request world :initialize
                             {:protocolVersion (or ?version "2025-11-25")})
        replies []]
    {: session : replies :reply #(table.insert replies (plain $))}))

(fn pass [world seconds]
  "Time passes, and what is due runs."
  (set world.time (+ world.time seconds))
  (world.calls:tick))

{: create : handle : request : notify : open : pass}
