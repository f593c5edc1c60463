;; mcp.handler: what a message means. A message in, an outcome out (see
;; mcp.outcome for both sides of the contract): no transport, no HTTP status, no
;; clock, so that every rule can be tested without a socket.
;;
;;   (handler:handle message context) → outcome
;;
;;   message   decoded JSON of any shape
;;   context   {:session s}             the live session that the client named
;;             {:unknown-session true}  it named one that is not there
;;             {:version-header text}   the version that it says it speaks, if
;;                                      the transport has a place for that
;;             {:reply f}               takes the answer of a call that goes on
;;
;; The parts (lifecycle, tool-methods, and those to come) are tables of methods:
;; (method handler request) → outcome, for a request {:id :method :params
;; :session :context}; params is nil or an object, and there is a session unless
;; the method can do without. They add; nothing here knows a tool.

(local lifecycle (require :mcp.lifecycle))
(local marks (require :mcp.json-marks))
(local outcome (require :mcp.outcome))
(local protocol (require :mcp.protocol))
(local revisions (require :mcp.revisions))
(local tool-methods (require :mcp.tool-methods))

;; Its presence makes a message one of the stateless revision.
(local claim-key "io.modelcontextprotocol/protocolVersion")

;; What may be asked for before there is a session: health checks ping first
;; (DEV-LIF-4).
(local without-session {:initialize true :ping true})

(fn meta-of [?params]
  "The `_meta` of params of any shape, or nil if there is no such object."
  (let [meta (if (marks.object? ?params) ?params._meta)]
    (if (marks.object? meta) meta)))

;; Calls

(fn forget-call [self session call]
  "A call is over, and its client's time of idling begins."
  (case (accumulate [found nil i running (ipairs session.calls) &until found]
          (if (= running call) i))
    i (table.remove session.calls i))
  (self.sessions:touch session))

(fn call-answer [self id result ...]
  "The message for a call that ended. Should our own code fail at it, the client
gets an answer all the same."
  (case (pcall result ...)
    (true value) (protocol.result id value)
    (_ why) (do (self.log.error :internal-error {: why})
                (protocol.failure id protocol.codes.internal-error
                                  "internal error"))))

(fn run [self request {: run : args : timeout : result}]
  "Runs a handler of the program as a call for a request. `result` makes the
request's result of how the call ended: (result kind a b), see mcp.call.

Returns the outcome: the answer if the call is done at once. nil and a message
when too many calls are running."
  (let [{: id : params : session : context} request
        state {}]
    (fn on-done [...]
      (when state.call
        (forget-call self session state.call))
      (let [message (call-answer self id result ...)]
        (if state.call
            (context.reply message)
            (set state.message message))))
    (case (self.calls:start {: id
                             : run
                             : args
                             : timeout
                             : on-done
                             :fields {:meta (meta-of params)
                                      :session session.public
                                      :client session.client}})
      (nil why) (values nil why)
      (where _ state.message) {:kind :answer :message state.message}
      call (do (set state.call call)
               (table.insert session.calls call)
               (outcome.later)))))

(fn cancelled [self {: params : session}]
  "2025-11-25, Cancellation: one's own running call ends. The specification has
no answer then, but HTTP needs an end of the request, and its result says what
happened. What is unknown, or over, is ignored: some clients send this after
every call."
  (let [id (?. params :requestId)]
    (case (accumulate [found nil _ call (ipairs session.calls) &until found]
            (if (= call.id id) call))
      call (self.calls:cancel call))))

;; Which messages are for us

(fn session-missing [?id context]
  "The outcome for a message that needs a session and has none, or nil
(2025-11-25, Transports, Session Management 2 to 4)."
  (if context.unknown-session
      (outcome.refusal :unknown-session ?id
                       "there is no such session (any more); initialize anew")
      (not context.session)
      (outcome.refusal :no-session ?id
                       (.. "a session is needed: send initialize, and the "
                           "session id of its answer from then on"))))

(fn other-revision [?id ?params context]
  "The outcome for a message of a revision that is not spoken here, or nil. It
has none of the stateless revision's own codes, so that clients which try that
first fall back to initialize (requirements 1.7 and 1.8)."
  (let [header context.version-header
        claim (?. (meta-of ?params) claim-key)
        other (if (and header (not (revisions.known? header))) header claim)]
    (if (not= other nil)
        (outcome.refusal :invalid ?id
                         (string.format (.. "protocol version %s is not spoken "
                                            "here; initialize with one of %s")
                                        (protocol.quoted (tostring other))
                                        (table.concat (revisions.supported)
                                                      ", "))))))

(fn protected [self id f]
  "The outcome of `f`; if it raises, which is a bug of ours, the client gets an
answer all the same, which says nothing of the inside."
  (case (xpcall f debug.traceback)
    (true outcome) outcome
    (_ traceback) (do (self.log.error :internal-error {: traceback})
                      (outcome.failure id :internal-error "internal error"))))

(fn handle-request [self id method ?params context]
  (let [f (. self.requests method)
        request {: id :params ?params :session context.session : context}
        needs-session? (or context.unknown-session
                           (not (. without-session method)))]
    (or (other-revision id ?params context)
        (if (and needs-session? (not= method :initialize))
            (session-missing id context))
        (if (not f)
            (outcome.failure id :method-not-found
                             (.. "there is no method "
                                 (protocol.quoted method)))
            (not (or (= ?params nil) (marks.object? ?params)))
            (outcome.failure id :invalid-params "params must be an object")
            (protected self id #(f self request))))))

(fn handle-notification [self method ?params context]
  "A notification has no answer; one that we do not know is ignored."
  (or (other-revision nil ?params context)
      (session-missing nil context)
      (do (case (. self.notifications method)
            f (f self {:params (if (marks.object? ?params) ?params)
                       :session context.session}))
          (outcome.accepted))))

(fn handle [self message context]
  "What a decoded message leads to. Never raises for anything that a client can
send."
  (case (protocol.classify message)
    (:request id method ?params)
    (handle-request self id method ?params context)
    (:notification _ method ?params)
    (handle-notification self method ?params context)
    ;; Nothing of ours waits for a response yet.
    :response
    (or (session-missing nil context) (outcome.accepted))
    ;; The revision that has them will come with the streams.
    :batch
    (outcome.refusal :invalid nil "batches are not taken; send one message")
    (:invalid ?id why)
    (outcome.refusal :invalid ?id why)))

(fn method-of [self message]
  "The method of a message, for counting; \"other\" if it is none of ours, so
that clients cannot make the counts grow without end."
  (let [method (and (marks.object? message) message.method)]
    (if (and (= (type method) :string)
             (or (. self.requests method) (. self.notifications method)))
        method
        :other)))

(fn create-handler [given]
  "A handler of messages.

  :sessions      a store of mcp.session
  :calls         the running calls of mcp.call
  :tools         a ToolRegistry
  :encode        (encode value) → JSON text, or nil and what is wrong
  :info          serverInfo, {:name :version}
  :instructions  what agents are told about the server, or nil
  :page-size     entries on a page of a list, or nil
  :expose-tracebacks   whether agents see where a tool failed
  :log           a logger of mcp.log"
  (let [self {: handle
              : method-of
              : run
              :requests {}
              :notifications {:notifications/cancelled cancelled}
              :capabilities (marks.object)}]
    (collect [name part (pairs given) &into self]
      name part)
    (each [_ part (ipairs [lifecycle tool-methods])]
      (collect [name f (pairs part.requests) &into self.requests]
        name f)
      (collect [name f (pairs (or part.notifications {}))
                &into self.notifications]
        name f)
      (when part.capability
        (tset self.capabilities part.capability (marks.object))))
    self))

{: create-handler}
