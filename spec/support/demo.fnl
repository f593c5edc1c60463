;; support.demo: a server with a few tools over a fake http_server, for specs
;; and transcripts. Session ids are session-1, session-2 and so on.

(local {: create-http} (require :support.fake-http))
(local json-text (require :support.json-text))
(local {: create-server} (require :mcp.server-http))
(local {: ToolRegistry} (require :mcp.tool-registry))

(local definitions
       [{:name "echo"
         :description "Gives the text back."
         :input-schema {:type :object
                        :properties {:text {:type :string}}
                        :required [:text]}
         :handler (fn [args] args.text)}
        {:name "point"
         :title "A point"
         :description "Gives a table."
         :annotations {:readOnlyHint true}
         :output-schema {:type :object}
         :handler #{:x 1 :y [2]}}
        {:name "fail" :description "Raises." :handler #(error "boom")}
        {:name "sleep"
         :description "Sleeps."
         :handler (fn [args ctx]
                    (ctx.sleep args.seconds)
                    "slept")}])

(fn create-tools []
  (let [tools (ToolRegistry)]
    (each [_ definition (ipairs definitions)]
      (tools:register definition))
    tools))

(fn create-ids []
  (var n 0)
  (fn []
    (set n (+ n 1))
    (.. "session-" n)))

(fn create-demo [?options]
  "{:server :http :tools :records}, not started. `?options` are those of
MCPHTTPServer."
  (let [http (create-http)
        records []
        options {:http-server http
                 :name "demo"
                 :version "1.0"
                 :direct true
                 :logger #(table.insert records $)
                 :tools (create-tools)}]
    (each [name value (pairs (or ?options {}))]
      (tset options name value))
    {:server (create-server options {:json json-text :uuid (create-ids)})
     : http
     :tools options.tools
     : records}))

(fn started [?options]
  "The same, started."
  (let [demo (create-demo ?options)]
    (assert (demo.server:start))
    demo))

(local headers {"Content-Type" "application/json"
                "Accept" "application/json, text/event-stream"})

(fn send [{: http} message ?headers ?query]
  "Posts a message, or a text as it is. → the response with :json, or nil if it
comes later; and the exchange. A header of false is left out."
  (let [all (collect [name value (pairs headers)] name value)]
    (each [name value (pairs (or ?headers {}))]
      (tset all name (or value nil)))
    (let [exchange (http:request {:headers all
                                  :query ?query
                                  :body (if (= (type message) :string) message
                                            (json-text.encode message))})
          response exchange.response]
      (when (and response (not= response.body ""))
        (set response.json (json-text.decode response.body)))
      (values response exchange))))

(fn open [demo ?version]
  "Opens a session. → the headers that name it."
  (let [{: headers} (send demo {:jsonrpc "2.0"
                                :id 0
                                :method :initialize
                                :params {:protocolVersion (or ?version
                                                              "2025-11-25")}})]
    {"Mcp-Session-Id" (. headers "Mcp-Session-Id")}))

{: create-demo : started : send : open : create-tools}
