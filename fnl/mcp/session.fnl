;; mcp.session: what a server remembers of each handshake-era client. A session
;; is never a proof of who somebody is (2025-11-25, Security Best Practices).
;; Only the store writes to its sessions, but for `calls`, a list that belongs
;; to the handler: what runs for this client.

(local options (require :mcp.options))

(fn forget [self session]
  (tset self.by-id session.id nil)
  (set self.size (- self.size 1))
  (self.on-close session))

(fn busy? [session]
  (not= nil (. session.calls 1)))

(fn expired? [self session now]
  "Whether a session was idle for too long; one that works is not idle."
  (and (not (busy? session)) (<= self.ttl (- now session.seen))))

(fn before? [a b]
  "Whether session `a` can be done without rather than `b`: one that works on
nothing goes before one that does, and then the one that was idle for longer."
  (if (= (busy? a) (busy? b)) (< a.seen b.seen) (busy? b)))

(fn least-needed [self]
  "The session to end when there are too many. A scan, at the cap only: a
thousand comparisons, beside all that a handshake costs."
  (accumulate [least nil _ session (pairs self.by-id)]
    (if (and least (not (before? session least))) least session)))

(fn prune [self]
  "Ends the sessions that were idle for longer than the limit; → how many."
  (let [now (self.now)
        over (icollect [_ session (pairs self.by-id)]
               (if (expired? self session now) session))]
    (each [_ session (ipairs over)]
      (forget self session))
    (length over)))

(fn open [self {: version : client : capabilities}]
  "A new session: its :version is the agreed revision, :client and
:capabilities are what the client said of itself. At the cap one has to go for
it: clients that never say goodbye are many, and a new one must always get in."
  (when (<= self.cap self.size)
    (prune self))
  (when (<= self.cap self.size)
    (forget self (least-needed self)))
  (let [now (self.now)
        id (self.uuid)
        session {: id
                 : version
                 : client
                 : capabilities
                 :created now
                 :seen now
                 :calls []
                 ;; What handlers see as ctx.session, the same table each time.
                 :public (options.both-cases {: id : version : client})}]
    (tset self.by-id id session)
    (set self.size (+ self.size 1))
    session))

(fn touch [self session]
  "A session counts as seen now."
  (set session.seen (self.now)))

(fn find [self id]
  "The live session of this id, which counts as seen now; nil if there is none,
or none any more."
  (let [session (. self.by-id id)
        now (self.now)]
    (if (not session) nil
        (expired? self session now) (do (forget self session) nil)
        (do (touch self session)
            session))))

(fn close [self id]
  "Ends a session; false if there is none of this id."
  (let [session (find self id)]
    (when session
      (forget self session))
    (not= session nil)))

(fn close-all [self]
  "Ends every session."
  (each [_ session (ipairs (icollect [_ s (pairs self.by-id)] s))]
    (forget self session)))

(fn count [self]
  "How many sessions are live."
  (prune self)
  self.size)

(fn create-store [{: uuid : now : ttl : cap :on-close ?on-close}]
  "A store of sessions.

  :uuid      makes an id that nobody guesses
  :now       the time in seconds, never going back
  :ttl       seconds of idling after which a session ends
  :cap       how many there are at the most
  :on-close  nil, or a function that is told each session that ends"
  {: uuid
   : now
   : ttl
   : cap
   :on-close (or ?on-close #nil)
   :by-id {}
   :size 0
   : open
   : find
   : touch
   : close
   : close-all
   : count
   : prune})

{: create-store}
