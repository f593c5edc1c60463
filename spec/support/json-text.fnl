;; support.json-text: JSON in Fennel, for specs that do without the native
;; library. Keys are sorted, so that equal values are equal texts. It follows
;; the native bridge's rules as far as these specs look.

(local marks (require :mcp.json-marks))

(local max-depth 127)

(local escapes {"\"" "\\\"" "\\" "\\\\" "\n" "\\n" "\r" "\\r" "\t" "\\t"})

(fn encode-string [text]
  (.. "\"" (text:gsub "[%c\"\\]" #(or (. escapes $)
                                      (string.format "\\u%04x" ($:byte))))
      "\""))

(fn encode-number [n]
  (if (not= n n) (error "NaN cannot be JSON" 0)
      (= (math.abs n) math.huge) (error "infinity cannot be JSON" 0)
      (and (= 0 (% n 1)) (< (math.abs n) 1e15)) (string.format "%.0f" n)
      (string.format "%.17g" n)))

(fn list? [t]
  "Whether a table is an array; raises if it is neither that nor an object."
  (let [kind (marks.kind-of t)
        (numbers strings) (accumulate [(n s) (values 0 0) key (pairs t)]
                            (if (= (type key) :number) (values (+ n 1) s)
                                (= (type key) :string) (values n (+ s 1))
                                (error "an odd key" 0)))]
    (when (or (and (< 0 numbers) (< 0 strings))
              (not= numbers (if (< 0 numbers) (length t) 0)))
      (error "neither a list nor an object" 0))
    (or (= kind :array) (< 0 numbers))))

(fn encode-at [value path depth]
  (fn fail [why]
    (error (.. (if (= path "") "" (.. path ": ")) why) 0))
  (fn inside [step member]
    (encode-at member (.. path step) (+ depth 1)))
  (when (< max-depth depth)
    (fail "nested too deep, or a table that holds itself"))
  (let [kind (marks.kind-of value)]
    (case (type value)
      :nil "null"
      :boolean (tostring value)
      :string (encode-string value)
      :number (case (pcall encode-number value)
                (true text) text
                (_ why) (fail why))
      (where _ (marks.large-integer? value)) (tostring value)
      (where :table (= kind :null)) "null"
      (where :table (= kind :raw)) (. value 1)
      :table
      (case (pcall list? value)
        (false why) (fail why)
        (_ true) (.. "["
                     (table.concat (icollect [i v (ipairs value)]
                                     (inside (.. "[" i "]") v))
                                   ",")
                     "]")
        _ (let [names (icollect [name (pairs value)] name)]
            (table.sort names)
            (.. "{"
                (table.concat (icollect [_ name (ipairs names)]
                                (.. (encode-string name) ":"
                                    (inside (.. "." name) (. value name))))
                              ",")
                "}")))
      other (fail (.. "a " other " cannot be JSON")))))

(fn encode [value]
  "The text; or nil and a message with the path."
  (case (pcall encode-at value "" 0)
    (true text) text
    (_ why) (values nil (why:gsub "^%." ""))))

;; Decoding: each reader returns a value and where it ends.

(var read nil)

(local unescapes {:n "\n" :r "\r" :t "\t" :b "\b" :f "\f"})

(fn utf8 [code]
  (if (< code 128) (string.char code)
      (< code 2048) (string.char (+ 192 (math.floor (/ code 64)))
                                 (+ 128 (% code 64)))
      (string.char (+ 224 (math.floor (/ code 4096)))
                   (+ 128 (% (math.floor (/ code 64)) 64))
                   (+ 128 (% code 64)))))

(fn blank [text at]
  (text:match "^%s*()" at))

(fn read-string [text at]
  (var (i parts) (values (+ at 1) []))
  (while (not= (text:sub i i) "\"")
    (let [(plain next-i) (text:match "^([^\"\\%c]+)()" i)
          (hex after) (text:match "^\\u(%x%x%x%x)()" i)
          (mark after-mark) (text:match "^\\(.)()" i)]
      (if plain (do (table.insert parts plain) (set i next-i))
          hex (do (table.insert parts (utf8 (tonumber hex 16))) (set i after))
          mark (do (table.insert parts (or (. unescapes mark) mark))
                   (set i after-mark))
          (error (.. "invalid JSON at byte " i) 0))))
  (values (table.concat parts) (+ i 1)))

(fn read-members [text at close add]
  "Calls `add` for where each member begins, and it returns where that ends."
  (var i (blank text (+ at 1)))
  (while (not= (text:sub i i) close)
    (set i (blank text (add i)))
    (case (text:sub i i)
      "," (set i (blank text (+ i 1)))
      (where c (= c close)) nil
      _ (error (.. "invalid JSON at byte " i) 0)))
  (+ i 1))

(fn read-array [text at]
  (let [list (marks.array)
        end (read-members text at "]"
                          (fn [i]
                            (let [(value after) (read text i)]
                              (table.insert list value)
                              after)))]
    (values list end)))

(fn read-object [text at]
  (let [object {}
        end (read-members text at "}"
                          (fn [i]
                            (let [(key after) (read-string text i)
                                  colon (text:match "^%s*:%s*()" after)
                                  (value end) (read text colon)]
                              (tset object key value)
                              end)))]
    (values (if (= nil (next object)) (marks.object object) object) end)))

(set read (fn [text at]
            (case (text:sub at at)
              "\"" (read-string text at)
              "{" (read-object text at)
              "[" (read-array text at)
              _ (case (text:match "^(-?%d+%.?%d*[eE]?[-+]?%d*)()" at)
                  (digits end) (values (tonumber digits) end)
                  _ (case (text:match "^(%l+)()" at)
                      (:true end) (values true end)
                      (:false end) (values false end)
                      (:null end) (values marks.null end)
                      _ (error (.. "invalid JSON at byte " at) 0))))))

(fn decode [text]
  "The value; or nil and a message with the place."
  (case (pcall read text (blank text 1))
    (where (true value end) (= (blank text end) (+ (length text) 1))) value
    (true _ end) (values nil (.. "invalid JSON at byte " end))
    (_ why) (values nil why)))

{: encode : decode}
