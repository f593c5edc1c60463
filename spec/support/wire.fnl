;; support.wire: HTTP by bytes, from the thread that serves it. A test is
;; client and host at once, so whoever waits for an answer pumps dispatch
;; meanwhile; both wait for events in one select(2).

(local socket (require :socket))
(local {: http_server} (require :mcp.native))

(local patience 10) ; seconds; only a failing test gets there

;; What select(2) watches to know that dispatch has something to do.
(local ready {:getfd #(http_server.fd) :dirty #false})

(fn pump-until [wanted? ?socket]
  "Dispatches until `(wanted?)` gives a true value, and returns that. Raises
when nothing comes for `patience` seconds."
  (let [watched [ready ?socket]
        deadline (+ (socket.gettime) patience)]
    (var result (wanted?))
    (while (not result)
      (when (< deadline (socket.gettime))
        (error "nothing came in time" 2))
      (socket.select watched nil 1)
      (http_server.dispatch)
      (set result (wanted?)))
    result))

(fn receive-some [client]
  "Takes what has come into the client's buffer; false once it is closed."
  (let [(data why rest) (client.sock:receive 65536)]
    (set client.buffer (.. client.buffer (or data rest "")))
    (when (= why :closed)
      (set client.closed true))))

(fn head-end [buffer]
  (case (buffer:find "\r\n\r\n" 1 true)
    (_ last) last))

(fn parse [client]
  "One response out of the buffer: {:status :headers :body}, or nil if it has
not all come. Header names in lower case."
  (case (head-end client.buffer)
    last (let [head (client.buffer:sub 1 last)
               fields (head:gmatch "\n([^:\r]+): *([^\r]*)")
               headers (collect [name value fields] (name:lower) value)
               size (tonumber (or (. headers :content-length) 0))]
           (when (<= (+ last size) (length client.buffer))
             (let [body (client.buffer:sub (+ last 1) (+ last size))]
               (set client.buffer (client.buffer:sub (+ last size 1)))
               {:status (tonumber (head:match "^HTTP/1%.1 (%d+)")) : headers
                : body})))))

(fn response [client]
  "The next response; dispatches until it is there. nil if the connection is
closed instead."
  (fn wanted? []
    (receive-some client)
    (or (parse client) (and client.closed :closed)))
  (case (pump-until wanted? client.sock)
    :closed nil
    got got))

(fn closed? [client]
  "Waits until the server has closed the connection, and says so."
  (pump-until #(do (receive-some client) client.closed) client.sock))

(fn send [client bytes]
  "Sends all the bytes."
  (client.sock:settimeout patience)
  (assert (client.sock:send bytes))
  (client.sock:settimeout 0)
  client)

(fn connect [port]
  "A connection to 127.0.0.1."
  (let [sock (assert (socket.connect :127.0.0.1 port))]
    (sock:settimeout 0)
    (sock:setoption :tcp-nodelay true)
    {: sock :buffer "" : send : response : closed?
     :close #(sock:close)
     :reset #(do (sock:setoption :linger {:on true :timeout 0})
                 (sock:close))}))

(fn request [method path headers body]
  "The bytes of a request."
  (let [lines [(.. method " " path " HTTP/1.1") "Host: localhost"]]
    (each [name value (pairs (or headers {}))]
      (table.insert lines (.. name ": " value)))
    (when body
      (table.insert lines (.. "Content-Length: " (length body))))
    (.. (table.concat lines "\r\n") "\r\n\r\n" (or body ""))))

{: connect : pump-until : request}
