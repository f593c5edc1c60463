;; mcp.server-options: the options of an MCPHTTPServer: which there are, what
;; they may be, and what they are if nobody says.

(local guard (require :mcp.guard))
(local options (require :mcp.options))
(local moonport-version (require :mcp.version))

;; Clients that never say goodbye are many. A session is a few hundred bytes,
;; and an hour of a client that comes anew every four seconds fits.
(local max-sessions 1000)
(local session-ttl 3600)

;; Each has a coroutine, and mostly a connection that waits: as many as the
;; engine has connections.
(local max-calls 256)

(local defaults {:name "moonport"
                 :version moonport-version
                 :path "/mcp"
                 : max-sessions
                 : session-ttl
                 : max-calls})

(local streams {:later "streams come with a later version"})
(local features {:later "it comes with a later version"})

(local count (options.whole-number 1 1e6))

(fn logger [value]
  "A validator for `:logger`."
  (values (or (= value false) (= (type value) :function))
          "a function or false"))

(local known {:http-server true
              :tools :table
              :name :string
              :version :string
              :instructions :string
              :path :string
              :direct :boolean
              :allow-non-loopback :boolean
              :token :string
              :allowed-hosts options.strings
              :allowed-origins options.strings
              : logger
              :session-ttl options.positive
              :max-sessions count
              :max-calls count
              :page-size count
              :expose-tracebacks :boolean
              :force-sse streams
              :max-streams streams
              :resources features
              :prompts features})

(fn read-options [given]
  "A server's options, checked, under their kebab-case names, with defaults for
what is not given. Raises for an option that there is not, that makes no sense,
or that is needed."
  (let [read (options.read "MCPHTTPServer" given known)]
    (when (not read.http-server)
      (error (.. "MCPHTTPServer needs an :http-server, such as "
                 "(http_server.new {})")
             0))
    (when (not (?. read :tools :register))
      (error "MCPHTTPServer needs :tools, a ToolRegistry" 0))
    (when read.token
      (guard.check-token read.token))
    (each [name value (pairs defaults)]
      (when (= nil (. read name))
        (tset read name value)))
    read))

{: read-options}
