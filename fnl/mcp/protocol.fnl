;; mcp.protocol: JSON-RPC 2.0 messages as MCP has them: what shape a message
;; is, and how answers are made. Nothing here knows a method.

(local marks (require :mcp.json-marks))

(local codes {:parse-error -32700
              :invalid-request -32600
              :method-not-found -32601
              :invalid-params -32602
              :internal-error -32603})

;; An id is echoed in every answer, and no client needs more than a uuid.
(local max-id-length 1024)

(fn valid-id? [id]
  "Whether an id is a string or an integer (2025-11-25, Base Protocol,
Requests). Integers that the VM's numbers cannot hold are userdata."
  (case (type id)
    :string (<= (length id) max-id-length)
    :number (= 0 (% id 1))
    _ (marks.large-integer? id)))

(fn response? [message]
  "Whether a message is an answer: it has an outcome, and asks for nothing."
  (and (= message.method nil)
       (or (not= message.result nil) (not= message.error nil))))

(fn classify [message]
  "What a decoded message is. Keys are matched by exact case, and members that
we do not know are ignored.

  :request id method ?params
  :notification nil method ?params
  :response ?id        of any type: whoever waits for it knows his own
  :batch
  :invalid ?id why     the id is nil unless it can be echoed

?params is nil when absent or null; of any type else: what shape a method wants
is the method's to say."
  (case message
    (where list (= (marks.kind-of list) :array)) :batch
    (where ?other (not (marks.object? ?other)))
    (values :invalid nil "a message is a JSON object")
    (where {: id} (not (response? message)) (not (valid-id? id)))
    (values :invalid nil
            (string.format "an id is a string of at most %d bytes or an integer"
                           max-id-length))
    (where {:jsonrpc ?version :id ?id} (not= ?version "2.0"))
    (values :invalid (if (valid-id? ?id) ?id)
            "jsonrpc must be the string \"2.0\"")
    (where {:id ?id} (response? message)) (values :response ?id)
    (where {: method :id ?id :params ?params} (= (type method) :string))
    (values (if (= ?id nil) :notification :request) ?id method
            (if (marks.absent? ?params) nil ?params))
    {:id ?id} (values :invalid ?id "method must be a string")))

(fn result [id value]
  "The answer to a request that was carried out; `value` is a table."
  {:jsonrpc "2.0" : id :result value})

(fn failure [?id code message ?data]
  "The answer to a request that was not carried out. `?id` is nil when it had
none that could be read, and is left out then (2025-11-25, schema)."
  {:jsonrpc "2.0" :id ?id :error {: code : message :data ?data}})

;; A client's own words in our answers and logs; longer ones say no more.
(local max-quoted 80)

(fn quoted [text]
  "A text from outside, for a message: in quotes, on one line, bounded."
  (let [short (if (< max-quoted (length text))
                  ;; Not inside of a character: whole ones before it remain.
                  (.. (pick-values 1 (-> (text:sub 1 max-quoted)
                                         (: :gsub "[\192-\255][\128-\191]*$"
                                            "")))
                      "…")
                  text)]
    (.. "\"" (pick-values 1 (short:gsub "%c" " ")) "\"")))

{: codes : classify : result : failure : quoted : max-id-length}
