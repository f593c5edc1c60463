;; What a handler gave back, as a result that every client can read.

(local json-text (require :support.json-text))
(local marks (require :mcp.json-marks))
(local results (require :mcp.result))

(fn returned [value ?message ?version]
  "The result as JSON."
  (json-text.encode (results.returned value ?message (or ?version "2025-11-25")
                                      json-text.encode)))

(fn decoded [value ?message ?version]
  (json-text.decode (returned value ?message ?version)))

(fn failure-of [value]
  "The message of a result that is an error, or nil."
  (let [result (decoded value)]
    (if result.isError (. result.content 1 :text))))

(describe "a handler's value"
  (fn []
    (it "is content: nothing, or one text (DEV-TOOL-4)"
      (fn []
        (assert.equal "{\"content\":[]}" (returned nil))
        (assert.equal "{\"content\":[]}" (returned marks.null))
        (each [_ [value text] (ipairs [["" ""] ["hi" "hi"] [5 "5"] [0.5 "0.5"]
                                       [true "true"] [false "false"]
                                       ["a\0b" "a\0b"]])]
          (assert.same {:content [{:type :text : text}]} (decoded value)))))
    (it "is structure and its text, if it is a table"
      (fn []
        (assert.same {:content [{:type :text :text "{\"a\":[1]}"}]
                      :structuredContent {:a [1]}}
                     (decoded {:a [1]}))
        (assert.same {:content [{:type :text :text "{}"}]
                      :structuredContent {}}
                     (decoded {}))))
    (it "is text alone where there is no structure, or it is no object"
      (fn []
        (assert.same {:content [{:type :text :text "{\"a\":1}"}]}
                     (decoded {:a 1} nil "2025-03-26"))
        (each [_ [value text] (ipairs [[[1 2] "[1,2]"] [(marks.array) "[]"]
                                       [[["a"]] "[[\"a\"]]"]])]
          (assert.same {:content [{:type :text : text}]} (decoded value)))))
    (it "may have been encoded by the program"
      (fn []
        (assert.same {:content [{:type :text :text "{\"a\":1}"}]
                      :structuredContent {:a 1}}
                     (decoded (marks.raw "{\"a\":1}")))))
    (it "is an error, if it is nil and a message"
      (fn []
        (assert.same {:content [{:type :text :text "no such ball"}]
                      :isError true}
                     (decoded nil "no such ball"))
        (assert.same {:content [{:type :text :text "5"}]} (decoded 5 "x"))))
    (it "is encoded once"
      (fn []
        (var count 0)
        (let [encode #(do (set count (+ count 1)) (json-text.encode $))]
          (results.returned {:a 1} nil "2025-11-25" encode)
          (results.returned {:type :text :text "x"} nil "2025-11-25" encode))
        (assert.equal 2 count)))))

(describe "content blocks"
  (fn []
    (local blocks {:text {:type :text :text "t"}
                   :image {:type :image :data "aQ==" :mimeType "image/png"}
                   :audio {:type :audio :data "aQ==" :mimeType "audio/wav"}
                   :resource {:type :resource :resource {:uri "u:1" :text ""}}
                   :link {:type :resource_link :uri "u:1" :name "n"}})
    (it "are content as they are, one or several"
      (fn []
        (each [_ block (pairs blocks)]
          (assert.same {:content [block]} (decoded block)))
        (assert.same {:content [blocks.text blocks.image]}
                     (decoded [blocks.text blocks.image]))))
    (it "keep what else they have"
      (fn []
        (let [block {:type :text :text "t" :annotations {:priority 1}}]
          (assert.same {:content [block]} (decoded block)))))
    (it "are told in words to clients that do not know them (9.12)"
      (fn []
        (let [[sound] (. (decoded blocks.audio nil "2025-03-26") :content)
              [link] (. (decoded blocks.link nil "2025-03-26") :content)]
          (assert.equal :audio sound.type)
          (assert.same {:type :text :text "n: u:1"} link))))
    (it "that are not whole are the tool's error (DEV-TOOL-4)"
      (fn []
        (each [_ block (ipairs [{:type :text :text 5}
                                {:type :image :data "x"}
                                {:type :image :data 5 :mimeType "image/png"}
                                {:type :audio :mimeType "audio/wav"}
                                {:type :resource :resource "x"}
                                {:type :resource :resource {:uri "x"}}
                                {:type :resource_link :uri "x"}])]
          (assert.is_truthy (: (failure-of block) :find
                               "content block 1 is not whole" 1 true)))
        (each [_ list (ipairs [[blocks.text {:text "no type"}]
                               [blocks.text "text"]
                               [blocks.text {:type :film :data "x"}]])]
          (assert.is_truthy (: (failure-of list) :find
                               "content block 2 is not whole" 1 true)))))
    (it "are not tables that only share a word with them"
      (fn []
        (each [_ value (ipairs [{:type :resource :amount 5}
                                {:type :text}
                                {:type :audio :volume 3}
                                {:type :enemy :text "t"}])]
          (let [result (decoded value)]
            (assert.is_nil result.isError)
            (assert.same value result.structuredContent)))))
    (it "that cannot be encoded are the tool's error, with the place"
      (fn []
        (assert.equal (.. "the tool's result cannot be sent: content[1]._meta.f"
                          ": a function cannot be JSON")
                      (failure-of {:type :text
                                   :text "t"
                                   :_meta {:f print}}))))))

(describe "what cannot be sent"
  (fn []
    (it "is the tool's error, and says why and where (DEV-TOOL-5, DEV-DATA-3)"
      (fn []
        (let [loop {}]
          (set loop.loop loop)
          (each [_ [value part]
                 (ipairs [[{:f print} "f: a function cannot be JSON"]
                          [{:a [{:t (coroutine.create #nil)}]} "a[1].t: a thre"]
                          [{:n (/ 0 0)} "n: NaN"]
                          [{:n (/ 1 0)} "n: infinity"]
                          [{:l [1 nil 3]} "l: neither a list nor an object"]
                          [{:l {1 1 1000000 1}} "l: neither a list"]
                          [{:l {true 1}} "l: an odd key"]
                          [loop "a table that holds itself"]
                          [print "a function cannot be JSON"]
                          [io.stdout "a userdata cannot be JSON"]
                          [(/ 0 0) "NaN"]])]
            (let [why (failure-of value)]
              (assert.is_truthy (why:find "the tool's result cannot be sent: "
                                          1 true))
              (assert.is_truthy (why:find part 1 true) why))))))
    (it "does not end the server, if reading it raises"
      (fn []
        (let [trap (setmetatable {} {:__index #(error "trap")})]
          (assert.is_truthy (failure-of trap))
          (assert.is_truthy (. (results.raised trap) :isError)))
        (let [trap (setmetatable {} {:__tostring #(error "trap")})]
          (assert.is_truthy (. (results.raised trap) :isError)))))))

(describe "what a handler raised"
  (fn []
    (fn text [err ?traceback]
      (let [result (results.raised err ?traceback)]
        (assert.is_true result.isError)
        (. result.content 1 :text)))
    (it "is the message, in words (DEV-TOOL-2)"
      (fn []
        (assert.equal "boom" (text "boom"))
        (assert.equal "the tool failed without saying why" (text nil))
        (assert.equal "5" (text 5))
        (assert.equal "false" (text false))
        (assert.equal "m" (text {:message "m"}))
        (assert.equal "from __tostring"
                      (text (setmetatable {} {:__tostring #"from __tostring"})))
        (assert.equal "the tool failed with a table for a message"
                      (text {:code 1}))
        (assert.equal "the tool failed with a function for a message"
                      (text print))
        (assert.equal "x\0y" (text "x\0y"))))
    (it "is without the place, which is the program's own affair"
      (fn []
        (each [_ place (ipairs ["fnl/a.fnl" "/opt/my game/main.lua" "main.lua"
                                "./x.lua" "C:\\My Games\\a.lua"
                                "...very/long path/to/b.lua"
                                "[string \"return 1\"]"])]
          (assert.equal "it is 12:30: late"
                        (text (.. place ":12: it is 12:30: late"))))
        (each [_ message (ipairs ["12:30: late" "at 12:30: late" "a: b"
                                  "http://localhost:80: refused"])]
          (assert.equal message (text message)))))
    (it "has place and traceback if the program wants agents to see them"
      (fn []
        (assert.equal "a.lua:1: boom\nstack traceback: …"
                      (text "a.lua:1: boom" "stack traceback: …"))
        (assert.equal "the tool failed without saying why\nstack traceback: …"
                      (text nil "stack traceback: …"))))))
