;; The JSON bridge as Lua sees it, by what users of others saw go wrong
;; ("JSON data" of the public reports).

(local {: json : http_server} (require :mcp.native))
(local marks (require :mcp.json-marks))
(local {: connect : request} (require :support.wire))

(local exact? math.type) ; Lua 5.4 has 64-bit integers

(fn decode [text]
  (let [(value why) (json.decode text)]
    (assert.is_nil why)
    value))

(fn round-trip [text]
  (assert (json.encode (decode text))))

(fn refuses [value part ?options]
  "The value cannot be encoded, and the message says so."
  (let [(text why) (json.encode value ?options)]
    (assert.is_nil text)
    (assert.is_truthy (why:find part 1 true)
                      (.. "\"" why "\" should say " part))))

(fn nested [depth]
  (.. (string.rep "[" depth) (string.rep "]" depth)))

(describe "text"
  (fn []
    (it "has whole characters, of surrogate pairs and in combination (DATA-1)"
      (fn []
        (each [text bytes (pairs {"\\ud83d\\ude00" "\240\159\152\128"
                                  "\\uD834\\uDD1E" "\240\157\132\158"
                                  "\240\159\152\128" "\240\159\152\128"
                                  "\\u00e9" "\195\169"
                                  "e\\u0301" "e\204\129"})]
          (assert.equal bytes (decode (.. "\"" text "\"")))
          (assert.equal (.. "\"" bytes "\"") (json.encode bytes)))
        (each [_ half (ipairs ["\\ud83d" "\\ude00" "\\ude00\\ud83d"
                               "\\ud83dx"])]
          (let [(value why) (json.decode (.. "\"" half "\""))]
            (assert.is_nil value)
            (assert.is_truthy (why:find "invalid JSON at byte" 1 true))))))
    (it "is valid UTF-8 or an error, as a key too (DATA-2)"
      (fn []
        (let [replace {:invalid_utf8 :replace}
              mark "\239\191\189"]
          (each [bytes replaced (pairs {"\128" mark
                                        "\255\254" (.. mark mark)
                                        "\137PNG\r\n" (.. mark "PNG\\r\\n")
                                        "cut \226\130" (.. "cut " mark)})]
            (refuses {:text bytes} "text: a string that is not valid UTF-8")
            (refuses {bytes 1} "not valid UTF-8")
            (refuses [bytes] "base64" {:invalid_utf8 :error})
            (assert.equal (.. "[\"" replaced "\"]")
                          (json.encode [bytes] replace))
            (assert.equal (.. "{\"" replaced "\":1}")
                          (json.encode {bytes 1} replace))
            (assert.is_nil (json.decode (.. "\"" bytes "\"")))))))
    (it "understands escapes as JSON does, not as Lua (DATA-6)"
      (fn []
        (let [text "a\\/b\\u0041\\u4e2d\\b\\f"
              bytes "a/bA\228\184\173\b\f"]
          (assert.equal bytes (decode (.. "\"" text "\"")))
          (assert.same {bytes bytes}
                       (decode (.. "{\"" text "\":\"" text "\"}"))))
        (assert.is_nil (json.decode "\"\\x41\""))))
    (it "is not cut at a NUL (DATA-8)"
      (fn []
        (assert.equal "\"a\\u0000b\"" (json.encode "a\0b"))
        (assert.equal "a\0b" (decode "\"a\\u0000b\""))
        (assert.equal "{\"\\u0000\":1}" (round-trip "{\"\\u0000\":1}"))))))

(describe "a number"
  (fn []
    (it "is never a bare word (DATA-3)"
      (fn []
        (refuses {:structured {:x (/ 0 0)}} "structured.x: NaN cannot be JSON")
        (refuses [(/ 1 0)] "[1]: infinity cannot be JSON")
        (refuses (- (/ 1 0)) "infinity cannot be JSON")
        (each [_ text (ipairs [:NaN :Infinity :-Infinity :nan :1e400
                               "[-1e999]"])]
          (assert.is_nil (json.decode text)))
        (assert.equal "-0.0" (json.encode (/ -1 (/ 1 0))))
        (assert.equal 1e300 (decode (json.encode 1e300)))
        (assert.equal (^ 2 63) (tonumber (json.encode (^ 2 63))))))
    (it "keeps every digit of an id (DATA-4)"
      (fn []
        (each [_ id (ipairs [:0 :9007199254740991 :9007199254740992
                             :9007199254740993 :-9007199254740993
                             :1752846191234567890 :-9223372036854775808
                             :9223372036854775807 :9223372036854775808
                             :18446744073709551615])]
          (assert.equal id (round-trip id))
          (assert.equal id (tostring (json.integer id)))
          (let [text (.. "{\"id\":" id "}")]
            (assert.equal text (round-trip text))))
        (assert.equal (if exact? :number :userdata)
                      (type (decode :9007199254740993)))
        (assert.equal (decode :18446744073709551615)
                      (json.integer :18446744073709551615))
        ;; Beyond that it is the nearest double.
        (assert.equal (^ 2 64) (decode :18446744073709551616))))
    (it "that is whole stays whole"
      (fn []
        (assert.equal "[1,0,-1,1000000000000]"
                      (round-trip "[1,0,-1,1000000000000]"))
        (assert.equal "0.1" (round-trip :0.1))
        (when exact?
          (assert.equal :integer (math.type (decode :1)))
          (assert.equal :float (math.type (decode :1.0)))
          (assert.equal "[1,1.0]" (round-trip "[1,1.0]")))))))

(describe "a table"
  (fn []
    (it "is a list without holes, or has names, or is refused (DATA-5)"
      (fn []
        (assert.equal "[1,2,3]" (json.encode [1 2 3]))
        (assert.equal "{\"1\":1}" (json.encode {:1 1}))
        (refuses [1 nil 3] "holes")
        (refuses {1 1 1000000 1} "holes (2 items, the last at 1000000)")
        (refuses {305419896 true} "holes")
        (refuses {1 1 2 2 :a 3} "neither a list")
        (refuses {0 1} "the key 0 ")
        (refuses {1.5 1} "the key 1.5 ")
        (refuses {:result {true 1}} "result: a table with the key true")
        (assert.equal "[1,null,3]" (json.encode [1 json.null 3]))))
    (it "that was [] or {} is so again (DATA-7)"
      (fn []
        (assert.equal "[]" (round-trip "[]"))
        (assert.equal "{}" (round-trip "{}"))
        (assert.equal "[[],{},[[]],[{}]]" (round-trip "[[],{},[[]],[{}]]"))
        (let [value (decode "{\"l\":[],\"o\":{},\"n\":[[],{}]}")]
          (assert.equal "[]" (json.encode value.l))
          (assert.equal "{}" (json.encode value.o))
          (assert.equal "[[],{}]" (json.encode value.n)))
        (let [list (decode "[1]")]
          (table.remove list)
          (assert.equal "[]" (json.encode list)))))
    (it "is what its mark says, where Lua cannot tell (DATA-7, TOOL-1)"
      (fn []
        (assert.equal "{}" (json.encode {}))
        (assert.equal "[]" (json.encode (json.array)))
        (assert.equal "{}" (json.encode (json.object)))
        (assert.equal "{\"enum\":[]}" (json.encode {:enum (json.array {})}))
        (assert.equal "[1]" (json.encode (json.array [1])))
        (refuses (json.array {:a 1}) "neither a list")
        (refuses (json.object [1]) "the key 1 ")
        (assert.equal "{\"a\": 1.0}" (json.encode (json.raw "{\"a\": 1.0}")))
        (assert.is_nil (json.raw "{\"a\":"))))
    (it "may be marked without the library"
      (fn []
        (assert.equal "[[],{},null,1]"
                      (json.encode [(marks.array) (marks.object) marks.null
                                    (marks.raw "1")]))
        (let [value (decode "{\"l\":[1],\"o\":{},\"n\":null}")]
          (assert.equal :array (marks.kind-of value.l))
          (assert.equal :object (marks.kind-of value.o))
          (assert.is_true (marks.null? value.n))
          (assert.is_true (marks.object? value)))))
    (it "keeps null apart from nothing"
      (fn []
        (let [value (decode "{\"a\":null}")]
          (assert.equal json.null value.a)
          (assert.is_nil value.b)
          (assert.equal "null" (tostring value.a))
          (assert.equal "{\"a\":null}" (json.encode value)))
        (assert.equal "null" (json.encode nil))))
    (it "has the last of several members of a name (RPC-7)"
      (fn []
        (assert.same {:name :b :Name 1}
                     (decode "{\"name\":\"a\",\"Name\":1,\"name\":\"b\"}"))))
    (it "is read as it is, whatever its metatable does"
      (fn []
        (let [metatable {:__index error :__len error :__pairs error}]
          (assert.equal "[1]" (json.encode (setmetatable [1] metatable))))))))

(describe "what cannot be JSON"
  (fn []
    (it "is named with its place, and nothing of it is sent (TOOL-5)"
      (fn []
        (let [loop {}
              deep []]
          (set loop.self loop)
          (var innermost deep)
          (for [_ 1 10000]
            (tset innermost 1 [])
            (set innermost (. innermost 1)))
          (refuses {:result {:content [1 {:data print}]}}
                   "result.content[2].data: a function cannot be JSON")
          (refuses [(coroutine.create #nil)] "[1]: a coroutine")
          (refuses {:file io.stdout} "file: a userdata")
          (refuses {"a b" [print]} "[\"a b\"][1]: a function")
          (refuses {{} 1} "a table with the key of another type")
          (refuses loop "a table that holds itself")
          (refuses deep "nested deeper than 127 levels"))))
    (it "has a place in the text, too"
      (fn []
        (each [text byte (pairs {"" 0 "{} x" 3 "[1,]" 3 "[1" 2
                                 "{\n\"a\":\n  tru }" 12
                                 "[\"\195\169\", x]" 7
                                 "\"\128\"" 1})]
          (let [(value why) (json.decode text)]
            (assert.is_nil value)
            (assert.is_truthy (why:find (.. "^invalid JSON at byte " byte ": "))
                              why)))))
    (it "is what a caller did wrong, where it is not data"
      (fn []
        (assert.has_error #(json.decode nil))
        (assert.has_error #(json.decode 1))
        (assert.has_error #(json.encode {} :replace))
        (assert.has_error #(json.encode {} {:indent 2}))
        (assert.has_error #(json.array (setmetatable {} {})))
        (assert.has_error #(json.array json.null))
        (assert.has_error #(json.integer :1.5))))))

(describe "nesting"
  (fn []
    (it "has the same limit in and out (DATA-9)"
      (fn []
        (each [_ depth (ipairs [1 100 127])]
          (assert.equal (nested depth) (round-trip (nested depth))))
        (each [_ depth (ipairs [128 1000 100000])]
          (let [(value why) (json.decode (nested depth))]
            (assert.is_nil value)
            (assert.is_truthy (why:find "byte 127: recursion" 1 true) why)))
        (refuses [(decode (nested 127))] "nested deeper")))
    (it "does not make an id grow (LIM-4)"
      (fn []
        (let [id (string.rep :x 1048576)
              text (.. "{\"id\":\"" id "\"}")]
          (assert.equal text (round-trip text)))
        (assert.is_nil (json.decode (.. "{\"id\":" (nested 10000) "}")))))))

(describe "a request's body"
  (fn []
    (var server nil)
    (before_each #(set server (http_server.new {})))
    (after_each #(server:stop))
    (fn seen-by-handler [body]
      "What exchange:json() gives twice, and exchange.body."
      (var seen nil)
      (server:post :/ (fn [exchange]
                        (set seen {:first [(exchange:json)]
                                   :again [(exchange:json)]
                                   :body exchange.body})
                        {}))
      (let [client (connect (server:listen :127.0.0.1 0))]
        (client:send (request :POST :/ {:Content-Type :application/json} body))
        (assert.equal 200 (. (client:response) :status)))
      seen)
    (it "is a value when the handler asks for it"
      (fn []
        (let [body "{\"id\":18446744073709551615,\"e\":[],\"s\":\"\\u00e9\"}"
              {:first [value] :again [again] :body text} (seen-by-handler body)]
          (assert.equal body text)
          (assert.equal "18446744073709551615" (tostring value.id))
          (assert.equal "[]" (json.encode value.e))
          (assert.equal "\195\169" value.s)
          (assert.are_not.equal value again)
          (assert.equal value.id again.id))))
    (it "is nil and a message when it is no JSON"
      (fn []
        (let [{:first [value why] :body text} (seen-by-handler "{\"a\":1,}")]
          (assert.equal "{\"a\":1,}" text)
          (assert.is_nil value)
          (assert.is_truthy (why:find "^invalid JSON at byte 7: ")))))))
