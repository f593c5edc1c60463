;; mcp.server-http: MCP over HTTP (2025-11-25, Transports, Streamable HTTP; so
;; far with plain JSON answers). It maps exchanges to messages and outcomes to
;; statuses, and nobody else knows statuses. The http_server that does the work
;; is handed in; only the functions here write to a server's table.

(local {: create-calls} (require :mcp.call))
(local guard (require :mcp.guard))
(local {: create-handler} (require :mcp.handler))
(local http-request (require :mcp.http-request))
(local {: create-logger} (require :mcp.log))
(local options (require :mcp.options))
(local {: native-parts} (require :mcp.parts))
(local protocol (require :mcp.protocol))
(local {: read-options} (require :mcp.server-options))
(local {: create-store} (require :mcp.session))

;; Answers

;; Lua strings are bytes; a tool's text must not spoil a whole answer.
(local encoding {:invalid_utf8 :replace})

(fn count [counts key]
  (tset counts key (+ 1 (or (. counts key) 0))))

(fn encoded [self message]
  "A message as JSON text. One that cannot be encoded is our own bug, and the
client gets an answer with its id all the same."
  (case (self.json.encode message encoding)
    (nil why) (do (self.log.error :answer-lost {: why})
                  (self.json.encode
                    (protocol.failure message.id protocol.codes.internal-error
                                      "the answer could not be encoded")))
    text text))

(fn respond [self status ?message ?headers]
  "A response table, counted. Without a message it has no body."
  (count self.responses status)
  (set self.last-error (or (?. ?message :error :message) self.last-error))
  (let [headers (or ?headers {})]
    (when ?message
      (tset headers "Content-Type" "application/json"))
    {: status : headers :body (if ?message (encoded self ?message) "")}))

(fn refuse [self status why ?code]
  "A response for what is no message that we take."
  (respond self status
           (protocol.failure nil (. protocol.codes (or ?code :invalid-request))
                             why)))

;; POST and DELETE

(local status-of {:answer 200
                  :accepted 202
                  :invalid 400
                  :no-session 400
                  :unknown-session 404})

(fn wake-for-calls [self]
  "Has the engine dispatch when the next waiting call is due."
  (case (self.calls:next-due)
    due (self.http-server:wake_at due)))

(fn handle-message [self exchange message ?id]
  (count self.requests (self.handler:method-of message))
  (let [session (if ?id (self.sessions:find ?id))
        outcome (self.handler:handle
                  message
                  {: session
                   :unknown-session (and (not= ?id nil) (not session))
                   :version-header (http-request.version exchange)
                   :reply #(exchange:reply (respond self 200 $))})]
    (wake-for-calls self)
    (if (not= outcome.kind :later)
        (respond self (. status-of outcome.kind) outcome.message
                 (if outcome.session {"Mcp-Session-Id" outcome.session.id})))))

(fn on-post [self exchange]
  "Sending Messages to the Server, checked in the order of requirements 1a."
  (let [id (http-request.session-id exchange)]
    (if (not (http-request.json-body? exchange))
        (refuse self 415 "the body must be declared as application/json")
        (not (http-request.accepts-json? exchange))
        (refuse self 406 "only application/json can be sent here")
        (= id false)
        (refuse self 400 "the request names two sessions")
        (case (exchange:json)
          (nil why) (refuse self 400 why :parse-error)
          message (handle-message self exchange message id)))))

(fn on-delete [self exchange]
  "Session Management 5."
  (count self.requests :DELETE)
  (case (http-request.session-id exchange)
    false (refuse self 400 "the request names two sessions")
    nil (refuse self 400 "DELETE ends a session: name it by Mcp-Session-Id")
    id (if (self.sessions:close id)
           (respond self 204)
           (refuse self 404 "there is no such session (any more)"))))

(fn route [self f]
  "A handler for the engine that answers even for a bug of ours, and says
nothing of the inside."
  (fn [exchange]
    (case (xpcall #(f self exchange) debug.traceback)
      (true ?response) ?response
      (_ traceback) (do (self.log.error :internal-error {: traceback})
                        (refuse self 500 "internal error" :internal-error)))))

(fn run-due-calls [self]
  "At the end of every dispatch."
  (self.calls:tick)
  (wake-for-calls self))

;; The life of a server

(fn url-of [self host port]
  (let [host (if (guard.every-address? host) "localhost" host)]
    (string.format "http://%s:%d%s" (guard.authority host) port self.path)))

(fn prepare [self]
  "Gives the engine our routes, once, also if a port was taken and `start` is
tried again."
  (when (not self.prepared)
    (set self.prepared true)
    (self.http-server:post self.path (route self on-post))
    (self.http-server:delete self.path (route self on-delete))))

(fn listen [self host port]
  (let [http self.http-server]
    (http:guard (guard.rules {: host
                              :allowed-hosts self.options.allowed-hosts
                              :allowed-origins self.options.allowed-origins
                              :token self.options.token}))
    (prepare self)
    (case (http:listen host port)
      (nil why) (values nil why)
      bound (do (set self.started true)
                (set (self.host self.port) (values host bound))
                (set self.url (url-of self host bound))
                (set self.unhook (http:on_dispatch #(run-due-calls self)))
                (self.log.info :started {:url self.url})
                bound))))

(fn start [self ?where]
  "Listens. `?where` is {:host \"127.0.0.1\" :port 0}, which are the defaults;
port 0 picks a free one. Returns the port, and `url` is where clients connect;
or nil and why it cannot listen, and it may be tried again. Raises for a server
that was started before: it has one life."
  (when self.started
    (error "this server was started before; make a new one" 2))
  (let [{: host : port} (options.read "start" (or ?where {})
                                      {:host :string
                                       :port (options.whole-number 0 65535)})
        host (or host "127.0.0.1")]
    (case (guard.check-host host self.options.allow-non-loopback
                            self.options.allowed-hosts)
      (nil why) (values nil why)
      _ (listen self host (or port 0)))))

(fn stop [self ?how]
  "Stops; doing it twice is fine. `?how` is {:drain seconds}: for so long
running calls may end by themselves; without it their clients are told that
they were cancelled. Then every session ends, every connection is closed, and
the port is free."
  (let [{: drain} (options.read "stop" (or ?how {})
                                {:drain options.not-negative})]
    (set self.started true)
    (when self.port
      (set (self.port self.url) nil)
      (when (= 0 (or drain 0))
        (self.calls:cancel-all))
      (self.http-server:stop {:drain (or drain 0)})
      (self.calls:cancel-all)
      (self.sessions:close-all)
      (self.unhook)
      (self.log.info :stopped {:host self.host}))
    nil))

(fn copy [t]
  (collect [k v (pairs t)] k v))

(fn status [self]
  "How the server is, as a new table in both spellings:

  :running :host :port :url :path    where; port and url are nil when it is not
  :sessions :calls                   how many are live, how many run
  :tools :prefix                     how many there are, and their prefix
  :requests :responses    counts of messages by method (and DELETE), and of
                          MCP's answers by HTTP status
  :last-error             the last error that a client was told of, or nil
  :http                   the engine's own counts, with what it refused"
  (options.both-cases {:running (not= self.port nil)
                       :host self.host
                       :port self.port
                       :url self.url
                       :path self.path
                       :sessions (self.sessions:count)
                       :calls self.calls.size
                       :tools (self.tools:count)
                       :prefix self.tools.prefix
                       :requests (copy self.requests)
                       :responses (copy self.responses)
                       :last-error self.last-error
                       :http (self.http-server:status)}))

(fn create-server [given {: json : uuid}]
  "As MCPHTTPServer, with the JSON bridge ({: encode}) and the maker of session
ids handed in."
  (let [options (read-options given)
        {: tools :http-server http} options
        now #(http:now)
        log (create-logger options.logger)
        calls (create-calls {: now :cap options.max-calls})
        end-calls (fn [session]
                    (each [_ call (ipairs (copy session.calls))]
                      (calls:cancel call)))
        sessions (create-store {: uuid
                                : now
                                :ttl options.session-ttl
                                :cap options.max-sessions
                                :on-close end-calls})
        handler (create-handler
                  {: sessions
                   : calls
                   : tools
                   : log
                   :encode #(json.encode $ encoding)
                   :info {:name options.name :version options.version}
                   :instructions options.instructions
                   :page-size options.page-size
                   :expose-tracebacks options.expose-tracebacks})]
    {: options
     :http-server http
     :path options.path
     : tools
     : log
     : json
     : calls
     : sessions
     : handler
     :requests {}
     :responses {}
     : start
     : stop
     : status}))

(fn MCPHTTPServer [given]
  "An MCP server over HTTP. Options, in either spelling:

  :http-server         what serves, such as (http_server.new {}); required
  :tools               a ToolRegistry; required
  :name :version       what the server calls itself
  :instructions        what agents are told about it
  :path                where it is, \"/mcp\"
  :direct              POST and JSON only (so far it always is)
  :token               what clients must show (`Authorization: Bearer`)
  :allow-non-loopback  may be reached from other machines
  :allowed-hosts :allowed-origins   instead of this machine's own
  :session-ttl 3600 :max-sessions 1000 :max-calls 256 :page-size 100
  :logger              a function for records, or false for none
  :expose-tracebacks   agents see where a tool failed

Raises for an option that there is not, or that makes no sense."
  (create-server given (native-parts)))

{: MCPHTTPServer : create-server}
