;; mcp.http-request: what an exchange's head says that matters to MCP. Reads,
;; decides nothing.

(fn single [value]
  "The value of a field or parameter that may come once; false if several
differ (RFC 9110, 5.3)."
  (if (not= (type value) :table) value
      (accumulate [same (. value 1) _ v (ipairs value)]
        (and (= same v) v))))

(fn joined [value]
  "The value of a field that is a list, however many lines it came in."
  (if (= (type value) :table) (table.concat value ",") value))

(fn essence [media-type]
  "A media type without its parameters, in lower case."
  (string.lower (or (media-type:match "^%s*([^;%s]+)") "")))

(fn json-body? [{: headers}]
  "Whether the body is declared as JSON. A page can send every other type
without asking first (Fetch, CORS-safelisted request-header)."
  (let [kind (single headers.content-type)]
    (and kind (= (essence kind) "application/json"))))

(fn refused? [range]
  "Whether a range says `q=0`: anything but this."
  (not= nil (range:find ";%s*[qQ]=0%.?0*%s*$")))

(fn accepts-json? [{: headers}]
  "Whether the client takes JSON (RFC 9110, 12.5.1); if it does not say, it
does."
  (let [accept (joined headers.accept)]
    (or (not accept) (not (accept:find "%S"))
        (accumulate [found false range (accept:gmatch "[^,]+") &until found]
          (and (not (refused? range))
               (case (essence range)
                 (where (or "*/*" "application/*" "application/json")) true
                 _ false))))))

(fn session-id [{: headers : query}]
  "The session that a request names, in the header or in the query as
`sessionId`; nil for none, false if it names two (DEV-SES-4)."
  (let [header (single headers.mcp-session-id)
        parameter (single query.sessionId)]
    (if (or (= header false) (= parameter false)) false
        (and header parameter (not= header parameter)) false
        (or header parameter))))

(fn version [{: headers}]
  "What MCP-Protocol-Version says, or nil; if it says two things, both."
  (let [field headers.mcp-protocol-version]
    (or (single field) (joined field))))

{: json-body? : accepts-json? : session-id : version}
