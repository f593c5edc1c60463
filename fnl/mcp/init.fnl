;; mcp: the facade, for programs that want a server in three lines. Loading it
;; does not load the native library; using it does.

(local marks (require :mcp.json-marks))
(local options (require :mcp.options))

;; Content blocks, for handlers to return: one, or a list of them.

(fn check-string [value what]
  (when (not= (type value) :string)
    (error (.. what " must be a string, not a " (type value)) 3))
  value)

(fn base64 [bytes what]
  (let [{: crypto} (require :mcp.native)]
    (crypto.base64 (check-string bytes what))))

(fn text [text]
  "A text."
  {:type :text :text (check-string text "the text")})

(fn image [bytes mime-type]
  "An image of raw bytes, such as a PNG file's, with its type (\"image/png\")."
  {:type :image
   :data (base64 bytes "an image's bytes")
   :mimeType (check-string mime-type "an image's type")})

(fn audio [bytes mime-type]
  "Sound of raw bytes, with its type (\"audio/wav\")."
  {:type :audio
   :data (base64 bytes "a sound's bytes")
   :mimeType (check-string mime-type "a sound's type")})

(fn resource [uri contents]
  "A resource with its contents: {:text \"…\"} or {:bytes \"…\"}, and maybe a
:mime-type."
  (let [{: text : bytes : mime-type} (options.read "mcp.resource" contents
                                                   {:text :string
                                                    :bytes :string
                                                    :mime-type :string})]
    (when (= (= text nil) (= bytes nil))
      (error "mcp.resource needs :text or :bytes, one of them" 2))
    {:type :resource
     :resource {:uri (check-string uri "a resource's URI")
                : text
                :blob (if bytes (base64 bytes))
                :mimeType mime-type}}))

(fn resource-link [uri name ?more]
  "A link to a resource. `?more` may have :title, :description and :mime-type."
  (let [{: title : description : mime-type} (options.read
                                              "mcp.resource-link"
                                              (or ?more {})
                                              {:title :string
                                               :description :string
                                               :mime-type :string})]
    {:type :resource_link
     :uri (check-string uri "a link's URI")
     :name (check-string name "a link's name")
     : title
     : description
     :mimeType mime-type}))

;; Servers by name. They are kept where a script that is run again finds them,
;; even if it has thrown our modules out to load them anew.

(local servers-key "mcp.servers")

(fn running-servers []
  (when (not (. package.loaded servers-key))
    (tset package.loaded servers-key {}))
  (. package.loaded servers-key))

(fn registry-of [tools]
  "The tools as a registry; a list of definitions becomes one."
  (if tools.register
      tools
      (let [{: ToolRegistry} (require :mcp.tool-registry)
            registry (ToolRegistry)]
        (each [_ definition (ipairs tools)]
          (registry:register definition))
        registry)))

(fn serve [given]
  "Starts a server and returns it; its `url` is where clients connect.

  :name    what it is called; serving again under this name stops the one before
  :tools   a list of definitions, or a ToolRegistry
  :host :port   where to listen; 127.0.0.1, and any free port

and every other option of MCPHTTPServer but :http-server. Raises if it cannot
listen. It serves whenever the program calls `mcp.dispatch`, once a frame, or is
in `mcp.run-loop`."
  (let [{: http_server} (require :mcp.native)
        {: MCPHTTPServer} (require :mcp.server-http)
        all (collect [key value (pairs given)] key value)
        where {:host all.host :port all.port}
        name (or all.name "moonport")
        servers (running-servers)]
    (set (all.host all.port) nil)
    (set all.tools (registry-of (or all.tools [])))
    (set all.http-server (http_server.new {}))
    (let [server (MCPHTTPServer all)]
      (case (. servers name)
        predecessor (predecessor:stop))
      (tset servers name nil)
      (case (server:start where)
        (nil why) (error why 2))
      (tset servers name server)
      server)))

(fn dispatch [?limits]
  "Runs what agents ask for, see http_server.dispatch; `?limits` may have
:max_ms and :max_calls. Call it every frame: with nothing to do it costs
nothing."
  (let [{: http_server} (require :mcp.native)]
    (http_server.dispatch ?limits)))

(fn run-loop [?options]
  "Serves until something ends it; see mcp.run-loop."
  (let [{: run-loop} (require :mcp.run-loop)]
    (run-loop ?options)))

(options.both-cases {: text
                     : image
                     : audio
                     : resource
                     : resource-link
                     :array marks.array
                     :object marks.object
                     :null marks.null
                     : serve
                     : dispatch
                     : run-loop})
