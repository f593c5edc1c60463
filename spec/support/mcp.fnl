;; support.mcp: a whole server over real sockets with the tools that the cases
;; assume, and a client that says exactly what a test wants it to say.

(local wire (require :support.wire))
(local {: http_server : json} (require :mcp.native))
(local {: ToolRegistry} (require :mcp.tool-registry))
(local {: MCPHTTPServer} (require :mcp.server-http))

(fn schema [properties required]
  {:type :object : properties : required})

(fn echo [args]
  args.text)

(fn create-tools []
  "echo {text}, add {a b}, sleep {ms}, noop, same {value} and fail."
  (let [tools (ToolRegistry {:namespace-prefix ""})]
    (each [_ [name input-schema handler]
           (ipairs [[:echo (schema {:text {:type :string}} [:text]) echo]
                    [:add (schema {:a {:type :number} :b {:type :number}}
                                  [:a :b])
                     (fn [args] (+ args.a args.b))]
                    [:sleep (schema {:ms {:type :number}} [:ms])
                     (fn [args ctx] (ctx.sleep (/ args.ms 1000)) :slept)]
                    [:noop nil #nil]
                    [:same (schema {:value {}} [:value])
                     (fn [args] {:value args.value})]
                    [:fail nil #(error "boom")]])]
      (tools:register {: name :description (.. "The tool " name ".")
                       : input-schema : handler}))
    tools))

(fn start [?options]
  "A started server and its port; `?options` are those of MCPHTTPServer, and
:http those of http_server.new."
  (let [options {}]
    (each [key value (pairs (or ?options {}))]
      (tset options key value))
    (set options.http-server (http_server.new (or options.http {})))
    (set options.http nil)
    (set options.tools (or options.tools (create-tools)))
    (set options.direct true)
    (when (= options.logger nil)
      (set options.logger false))
    (let [server (MCPHTTPServer options)]
      (values server (assert (server:start {:host "127.0.0.1" :port 0}))))))

(fn post [client body ?headers]
  "Posts a text or a message; → the response, with :json when there is any.
A header of false is left out."
  (let [headers {"Content-Type" "application/json"
                 "Accept" "application/json, text/event-stream"
                 "Mcp-Session-Id" client.session}
        text (if (= (type body) :string) body (assert (json.encode body)))]
    (each [name value (pairs (or ?headers {}))]
      (tset headers name (or value nil)))
    (client.wire:send (wire.request :POST client.path headers text))
    (let [answer (client.wire:response)]
      (when (and answer (< 0 (length answer.body)))
        (set answer.json (json.decode answer.body)))
      answer)))

(fn rpc [client method ?params ?headers]
  "Sends a request with the next id; → its response message."
  (set client.id (+ client.id 1))
  (let [answer (client:post {:jsonrpc :2.0 :id client.id : method
                             :params ?params}
                            ?headers)]
    (assert (= client.id answer.json.id) answer.body)
    (values answer.json answer)))

(fn tool [client name ?arguments]
  "Calls a tool; → its result."
  (let [message (client:rpc :tools/call {: name :arguments ?arguments})]
    (or message.result (error (json.encode message)))))

(local initialize-params
       {:protocolVersion "2025-11-25" :capabilities (json.object {})
        :clientInfo {:name :spec :version "1"}})

(fn open [client ?version]
  "The handshake; the client has a session afterwards."
  (let [params (collect [k v (pairs initialize-params)] k v)]
    (set params.protocolVersion (or ?version params.protocolVersion))
    (set client.session nil)
    (let [(message answer) (client:rpc :initialize params)]
      (set client.session (. answer.headers :mcp-session-id))
      (client:post {:jsonrpc :2.0 :method :notifications/initialized})
      message.result)))

(fn claim [name]
  "The key of an envelope member of the stateless revision."
  (.. "io.modelcontextprotocol/" name))

(fn connect [port ?path]
  "A client on a connection of its own, without a session."
  {:wire (wire.connect port) :path (or ?path "/mcp") :id 0 :session nil
   : post : rpc : tool : open
   :close (fn [client] (client.wire:close))})

(fn connected [port]
  "A client with a session."
  (let [client (connect port)]
    (client:open)
    client))

{: start : claim : connect : connected : create-tools : initialize-params}
