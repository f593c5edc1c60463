;; support.fake-http: an http_server without sockets, as DESIGN's boundary has
;; it, with a clock that a test moves. It can be made to do what a network does:
;;
;;   (http:request {:method :POST :headers {…} :query {…} :body text})
;;         → the exchange; its `response` is there once it was answered
;;   (http:advance seconds)    time passes; dispatches if something is due

(local json-text (require :support.json-text))

(fn lower-names [headers]
  (collect [name value (pairs headers)]
    (name:lower) value))

(fn answer [exchange response]
  (when exchange.response
    (error "this exchange was answered already"))
  (set exchange.response response)
  (if exchange.closed (values nil :closed) true))

(fn create-exchange [given]
  {:method (or given.method :POST)
   :path (or given.path "/mcp")
   :headers (lower-names (or given.headers {}))
   :query (or given.query {})
   :body (or given.body "")
   :json (fn [self] (json-text.decode self.body))
   :reply answer})

(fn dispatch [self]
  "Runs what waits, and then the hooks."
  (when (and self.due (<= self.due self.time))
    (set self.due nil))
  (while (. self.queue 1)
    (let [exchange (table.remove self.queue 1)
          handler (?. self.routes exchange.path exchange.method)]
      (case (if handler (handler exchange) {:status 404})
        response (answer exchange response))))
  (each [_ hook (ipairs (icollect [_ h (ipairs self.hooks)] h))]
    (hook)))

(fn request [self given]
  (let [exchange (create-exchange given)]
    (table.insert self.queue exchange)
    (dispatch self)
    exchange))

(fn advance [self seconds]
  (let [target (+ self.time seconds)]
    (while (and self.due (<= self.due target))
      (set self.time (math.max self.time self.due))
      (dispatch self))
    (set self.time target)))

(fn route [self method path handler]
  (when self.port
    (error "a route must come before listen"))
  (when (?. self.routes path method)
    (error (.. method " " path " has a handler already")))
  (tset self.routes path (or (. self.routes path) {}))
  (tset self.routes path method handler))

(fn listen [self host port]
  (assert (not self.port) "a second listen")
  (case self.refusal
    why (do (set self.refusal nil) (values nil why))
    nil (do (set (self.host self.port) (values host (if (= port 0) 7331 port)))
            self.port)))

(fn stop [self how]
  (set self.stopped how)
  (set self.port nil))

(fn on-dispatch [self hook]
  (table.insert self.hooks hook)
  (fn []
    (each [i known (ipairs self.hooks)]
      (when (= known hook)
        (table.remove self.hooks i)))))

(fn create-http []
  "A new one. `refusal`, if a test sets it, is what the next listen answers."
  {:time 100
   :routes {}
   :queue []
   :hooks []
   :post (fn [self path handler] (route self :POST path handler))
   :delete (fn [self path handler] (route self :DELETE path handler))
   :guard (fn [self rules] (set self.rules rules))
   : listen
   : stop
   :status (fn [self] {:running (not= self.port nil)})
   :now (fn [self] self.time)
   :wake_at (fn [self time]
              (set self.due (math.min time (or self.due time))))
   :on_dispatch on-dispatch
   : request
   : advance
   : dispatch})

{: create-http}
