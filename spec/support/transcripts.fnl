;; support.transcripts: replays transcripts of client and server. Blocks of
;; lines, with empty lines between them:
;;
;;   # what the rule is
;;   > POST                          the request: its method, if it is not POST,
;;   > Accept: text/plain            header fields,
;;   > {"jsonrpc":"2.0","id":1}      and its body, one line
;;   < 200                           the status,
;;   < Mcp-Session-Id: session-1     header fields that matter,
;;   < {"jsonrpc":"2.0"}             and the body, if there is one
;;   ~ 0.5                           so many seconds pass
;;
;; A request without a Mcp-Session-Id carries the newest one that the server
;; gave; with an empty one it carries none. An answer that comes later stands
;; where it comes. TRANSCRIPTS=update writes down what the server says now.

(local demo (require :support.demo))
(local json-text (require :support.json-text))

(fn read-file [name]
  (with-open [file (assert (io.open name :rb))]
    (file:read :*a)))

(fn write-file [name text]
  (with-open [file (assert (io.open name :wb))]
    (file:write text)))

;; Reading

(fn read-part [block line]
  "A line of a request or an answer, into its part."
  (case (line:match "^(%u+)$")
    method (set block.method method)
    _ (case (line:match "^(%d%d%d)$")
        status (set block.status status)
        _ (case (line:match "^([%a-]+): ?(.*)$")
            (name value) (table.insert block.headers [name value])
            _ (set block.body line)))))

(fn parse [text]
  "The blocks of a transcript: {:kind :comment|:request|:answer|:wait :line
:method :status :headers :body :text}."
  (let [blocks []]
    (var (number kind) (values 0 nil))
    (each [line (text:gmatch "([^\n]*)\n")]
      (set number (+ number 1))
      (let [mark (line:sub 1 1)
            new-kind (. {"#" :comment ">" :request "<" :answer "~" :wait} mark)]
        (when (and new-kind (or (not= new-kind kind) (= new-kind :comment)))
          (table.insert blocks {:kind new-kind :line number :headers []}))
        (let [block (. blocks (length blocks))]
          (case new-kind
            (where (or :request :answer)) (read-part block (line:sub 3))
            (where (or :comment :wait)) (set block.text (line:sub 3))))
        (set kind new-kind)))
    blocks))

;; Playing

(fn request-of [block session]
  "What a block asks: {:method :headers :body}."
  (let [headers {"Content-Type" "application/json" "Mcp-Session-Id" session}]
    (each [_ [name value] (ipairs block.headers)]
      (tset headers name (if (not= value "") value)))
    {:method block.method : headers :body block.body}))

(fn header-of [response name]
  "A header of the response, by a name of any case."
  (accumulate [found nil key value (pairs response.headers) &until found]
    (if (= (key:lower) (name:lower)) value)))

(fn actual-answer [response wanted-headers]
  "A response as the lines of an answer."
  (let [lines [(.. "< " response.status)]]
    (each [_ [name] (ipairs wanted-headers)]
      (let [value (header-of response name)]
        (table.insert lines (.. "< " name ":" (if value (.. " " value) "")))))
    (when (not= response.body "")
      (table.insert lines (.. "< " response.body)))
    (table.concat lines "\n")))

(fn expected-answer [block]
  "The same of what the transcript says; its JSON in our order of keys."
  (let [headers (collect [_ [name value] (ipairs block.headers)]
                  (if (not= value "") (values name value)))
        body (if block.body
                 (assert (json-text.encode
                           (assert (json-text.decode block.body))))
                 "")]
    (actual-answer {:status block.status : headers : body} block.headers)))

(fn play [blocks]
  "Runs the requests; → a list of {:line :expected :actual}, one an answer."
  (let [{: http} (demo.started)
        results []
        open []]
    (var session nil)
    (each [_ block (ipairs blocks)]
      (case block.kind
        :request (table.insert open (http:request (request-of block session)))
        :wait (http:advance (tonumber block.text))
        :answer
        (let [index (accumulate [found nil i exchange (ipairs open)
                                 &until found]
                      (if exchange.response i))
              {: response} (table.remove open (assert index "no answer yet"))]
          (set session (or (header-of response "Mcp-Session-Id") session))
          (table.insert results
                        {:line block.line
                         : block
                         :expected (if block.status (expected-answer block))
                         :actual (actual-answer response block.headers)}))))
    results))

;; Writing

(fn updated [text results]
  "The transcript with the answers that came."
  (let [answers (collect [_ {: line : actual} (ipairs results)] line actual)
        out []]
    (var (number skipping) (values 0 false))
    (each [line (text:gmatch "([^\n]*)\n")]
      (set number (+ number 1))
      (if (not= (line:sub 1 1) "<") (do (set skipping false)
                                        (table.insert out line))
          (not skipping) (do (set skipping true)
                             (table.insert out (. answers number)))))
    (.. (table.concat out "\n") "\n")))

(fn replay [name]
  "Plays a transcript file; → its results. Rewrites it if that is wanted."
  (let [text (read-file name)
        results (play (parse text))]
    (when (= (os.getenv :TRANSCRIPTS) :update)
      (write-file name (updated text results)))
    results))

{: replay}
