;; mcp.lifecycle: how a handshake-era session begins (2025-11-25, Lifecycle),
;; and ping.

(local marks (require :mcp.json-marks))
(local outcome (require :mcp.outcome))
(local revisions (require :mcp.revisions))

;; What a client says of itself is kept as long as its session; its names are
;; only ever shown.
(local max-name-length 200)

(fn short [value]
  (if (= (type value) :string) (value:sub 1 max-name-length)))

(fn client-of [params]
  "The client's :name, :version and :title, as far as it tells."
  (let [info (if (marks.object? params.clientInfo) params.clientInfo {})]
    {:name (short info.name)
     :version (short info.version)
     :title (short info.title)}))

;; The capabilities that a server can make use of, and their parts.
(local known-capabilities {:roots [:listChanged]
                           :sampling [:tools :context]
                           :elicitation [:form :url]})

(fn capabilities-of [params]
  "The client's capabilities as a table of tables of true. No more is kept than
can be made use of: a session must stay small."
  (let [given (if (marks.object? params.capabilities) params.capabilities {})]
    (collect [name parts (pairs known-capabilities)]
      (let [value (. given name)]
        (if (marks.object? value)
            (values name (collect [_ part (ipairs parts)]
                           (if (and (. value part)
                                    (not (marks.null? (. value part))))
                               (values part true)))))))))

(fn slip [params]
  "What makes params no initialize request, or nil. What a client leaves out or
says with an empty list where an object belongs, as some languages do, is let
pass: nothing depends on it (DEV-LIF-3)."
  (let [table-or-absent? (fn [value]
                           (or (marks.absent? value) (= (type value) :table)))]
    (if (not (marks.object? params)) "initialize needs params, an object"
        (not= (type params.protocolVersion) :string)
        (.. "initialize needs a protocolVersion, a string such as \""
            revisions.newest-legacy "\"")
        (not (table-or-absent? params.clientInfo))
        "clientInfo must be an object with name and version"
        (not (table-or-absent? params.capabilities))
        "capabilities must be an object")))

(fn initialize [handler {: id : params : session}]
  "Agrees on a revision and opens a session. A live session is not negotiated
anew (Lifecycle: initialize is the first interaction)."
  (case (and (not session) (slip params))
    false (outcome.refusal :invalid id
                           (.. "this session is initialized already; send "
                               "initialize without a session id for another"))
    nil (let [version (revisions.negotiate params.protocolVersion)
              opened (handler.sessions:open
                       {: version
                        :client (client-of params)
                        :capabilities (capabilities-of params)})
              answer (outcome.answer id {:protocolVersion version
                                         :capabilities handler.capabilities
                                         :serverInfo handler.info
                                         :instructions handler.instructions})]
          (set answer.session opened)
          answer)
    why (outcome.failure id :invalid-params why)))

(fn ping [_ {: id}]
  "2025-11-25, Ping: answered at once."
  (outcome.answer id (marks.object)))

{:requests {: initialize : ping}
 ;; There is nothing to do when a client is ready.
 :notifications {:notifications/initialized #nil}}
