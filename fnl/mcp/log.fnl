;; mcp.log: the logger `mcp`. Records are tables {:level :event :fields}; a
;; program may take them itself. Nothing ever goes to stdout, and never tokens,
;; authorization headers, query strings or the arguments of calls.

;; A line is for people: a value that is longer tells nobody more.
(local max-value-length 200)

(local secret {:token true :authorization true :query true :arguments true})

(fn printable [value]
  "A value on one line, bounded."
  (let [text (tostring value)
        short (if (< max-value-length (length text))
                  (.. (text:sub 1 max-value-length) "...")
                  text)]
    (pick-values 1 (short:gsub "%c" #(string.format "\\%d" ($:byte))))))

(fn line [{: level : event : fields}]
  "A record for people: `mcp: warn: tool-raised error=boom tool=echo`, and a
:traceback on lines of its own."
  (let [names (icollect [name (pairs fields)]
                (if (not= name :traceback) name))]
    (table.sort names)
    (let [parts (icollect [_ name (ipairs names)]
                  (.. " " name "=" (printable (. fields name))))]
      (.. "mcp: " level ": " event (table.concat parts) "\n"
          (if fields.traceback (.. fields.traceback "\n") "")))))

(fn to-stderr [record]
  "Warnings and errors only: a program's terminal is its own."
  (when (or (= record.level :warn) (= record.level :error))
    (io.stderr:write (line record))))

(fn public [fields]
  (collect [name value (pairs fields)]
    (if (not (. secret name))
        (values name value))))

(fn create-logger [?sink]
  "A logger with the functions debug, info, warn and error, each taking an event
and maybe a table of fields. `?sink` gets the records: a function, false for
nobody, nil for lines on stderr (warnings and errors). What a sink raises is
lost: logging must not end a call."
  (let [sink (if (= ?sink nil) to-stderr ?sink)]
    (collect [_ level (ipairs [:debug :info :warn :error])]
      (values level
              (fn [event ?fields]
                (when sink
                  (let [fields (public (or ?fields {}))]
                    (pcall sink {: level : event : fields})))
                nil)))))

{: create-logger : line}
