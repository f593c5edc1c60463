;; The tools of a program.

(local json-text (require :support.json-text))
(local marks (require :mcp.json-marks))
(local raises (require :support.raises))
(local {: ToolRegistry : page-size} (require :mcp.tool-registry))

(fn tool [?fields]
  "A definition that is fine, but for `?fields`; :none takes one out."
  (let [definition {:name "echo" :description "Echoes." :handler #nil}]
    (each [name value (pairs (or ?fields {}))]
      (tset definition name (if (not= value :none) value)))
    definition))

(fn page [tools ?cursor ?version ?size]
  "A page, its tools as JSON texts."
  (let [(list next-cursor) (tools:page {:cursor ?cursor
                                        :version (or ?version "2025-11-25")
                                        :encode json-text.encode
                                        :size ?size})]
    (values (icollect [_ raw (ipairs list)] (. raw 1)) next-cursor)))

(describe "a tool registry"
  (fn []
    (it "keeps tools, and gives back their names"
      (fn []
        (let [tools (ToolRegistry)]
          (assert.equal "echo" (tools:register (tool)))
          (assert.equal 1 (tools:count))
          (assert.equal "Echoes." (. (tools:get "echo") :description))
          (assert.is_nil (tools:get "other"))
          (assert.is_true (tools:unregister "echo"))
          (assert.is_false (tools:unregister "echo"))
          (assert.equal 0 (tools:count)))))
    (it "takes fields in both spellings"
      (fn []
        (let [tools (ToolRegistry {:namespace_prefix "e"})]
          (tools:register (tool {:input_schema {:type :object :x 1}
                                 :output_schema {:type :object}}))
          (let [{: input-schema : output-schema} (tools:get "echo")]
            (assert.equal 1 input-schema.x)
            (assert.equal :object output-schema.type))
          (assert.equal "e" tools.prefix))))
    (it "replaces in place, and only what there is"
      (fn []
        (let [tools (ToolRegistry)]
          (tools:register (tool))
          (tools:register (tool {:name "second"}))
          (assert.equal "echo" (tools:replace (tool {:description "New."})))
          (assert.is_truthy (: (. (page tools) 1) :find "New."))
          (raises "third is not registered"
                  #(tools:replace (tool {:name "third"})))
          (raises "second is registered already"
                  #(tools:register (tool {:name "second"}))))))
    (it "tells of changes, in both spellings"
      (fn []
        (each [_ name (ipairs [:on-change :on_change])]
          (let [tools (ToolRegistry)]
            (var heard 0)
            (let [undo ((. tools name) tools #(set heard (+ heard 1)))]
              (tools:register (tool))
              (tools:replace (tool))
              (tools:unregister "echo")
              (undo)
              (tools:register (tool))
              (assert.equal 3 heard))))))
    (it "gives a tool's handler and limit as they are"
      (fn []
        (let [tools (ToolRegistry)
              handler #5]
          (tools:register (tool {: handler :timeout 2}))
          (let [got (tools:get "echo")]
            (assert.equal handler got.handler)
            (assert.equal 2 got.timeout)))))))

(describe "a definition"
  (fn []
    (fn refused [why fields ?options]
      (let [tools (ToolRegistry ?options)]
        (raises why #(tools:register (tool fields)))
        (assert.equal 0 (tools:count))))
    (it "has a name that every client takes (2025-11-25, Tool Names)"
      (fn []
        (each [_ name (ipairs ["a" "A-b_c.9" (string.rep "x" 128)])]
          (: (ToolRegistry) :register (tool {: name})))
        (each [_ name (ipairs ["" "a b" "a/b" "ä" "a\0b" "a\n" 5 false :none
                               (string.rep "x" 129)])]
          (refused "a tool's name has 1 to 128 letters" {: name}))))
    (it "has the prefix of its registry"
      (fn []
        (refused "the name of the tool echo must begin with the prefix space_"
                 {} {:namespace-prefix "space_"})
        (let [tools (ToolRegistry {:namespace-prefix "space_"})]
          (tools:register (tool {:name "space_echo"})))))
    (it "has a description that says something"
      (fn []
        (each [_ description (ipairs ["" " \n" :none 5])]
          (refused "the description of the tool echo" {: description}))
        (refused "the description of the tool echo is not valid UTF-8"
                 {:description "\128"})
        (refused "the title of the tool echo must say something"
                 {:title ""})))
    (it "has a handler"
      (fn []
        (refused "the handler of the tool echo must be a function, not a nil"
                 {:handler :none})
        (refused "must be a function, not a string" {:handler "f"})))
    (it "has schemas that are objects'"
      (fn []
        (each [_ [field words] (ipairs [[:input-schema "input schema"]
                                        [:output-schema "output schema"]])]
          (refused (.. "the " words " of the tool echo must be a table")
                   {field "x"})
          (refused (.. "the " words " of the tool echo must have the type")
                   {field {:type :string}})
          (refused (.. "the " words " of the tool echo.properties.a is a func")
                   {field {:type :object :properties {:a print}}}))))
    (it "has annotations, icons and meta that can be sent"
      (fn []
        (refused "the annotations of the tool echo must be a table with names"
                 {:annotations [1]})
        (refused "the icons of the tool echo must be a list"
                 {:icons {:src "x"}})
        (refused "the meta of the tool echo.f is a function"
                 {:meta {:f print}})
        (refused "the annotations of the tool echo must be"
                 {:annotations false})))
    (it "has a limit that is one"
      (fn []
        (refused "the option :timeout of the tool \"echo\" must be a number abo"
                 {:timeout 0})))
    (it "has no fields that nobody knows, or not yet"
      (fn []
        (refused "the tool \"echo\" has no option :handlr (did you mean :handle"
                 {:handlr print})
        (refused "the tool \"echo\" has no :task yet" {:task :optional})
        (refused "the tool \"echo\" has no :group yet" {:group "g"})
        (refused "the tool \"echo\" has no :max-bytes yet" {:max_bytes 1})))
    (it "is a table"
      (fn []
        (raises "a tool takes a table of options, not a string"
                #(: (ToolRegistry) :register "echo"))))))

(describe "the wire form"
  (fn []
    (local full (tool {:title "Echo"
                       :output-schema {:type :object}
                       :annotations {:readOnlyHint true}
                       :icons [{:src "data:,"}]
                       :meta {:x/y 1}}))
    (it "has for each revision what that knows (requirements 18)"
      (fn []
        (let [tools (ToolRegistry)]
          (tools:register full)
          (each [version expected
                 (pairs {"2025-03-26" "annotations,description,inputSchema,name"
                         "2025-06-18" (.. "_meta,annotations,description,"
                                          "inputSchema,name,outputSchema,title")
                         "2025-11-25" (.. "_meta,annotations,description,icons,"
                                          "inputSchema,name,outputSchema,"
                                          "title")})]
            (let [[text] (page tools nil version)
                  names (icollect [name (pairs (json-text.decode text))] name)]
              (table.sort names)
              (assert.equal expected (table.concat names ",")))))))
    (it "has empty tables of the right kind"
      (fn []
        (let [tools (ToolRegistry)]
          (tools:register (tool {:annotations {} :icons {} :meta {}}))
          (assert.equal (.. "{\"_meta\":{},\"annotations\":{},"
                            "\"description\":\"Echoes.\",\"icons\":[],"
                            "\"inputSchema\":{\"type\":\"object\"},"
                            "\"name\":\"echo\"}")
                        (. (page tools) 1)))))
    (it "is made once a change, not once a request"
      (fn []
        (let [tools (ToolRegistry)
              encode (fn [value]
                       (set tools.encoded (+ (or tools.encoded 0) 1))
                       (json-text.encode value))
              ask #(tools:page {: encode :version "2025-11-25"})]
          (tools:register (tool))
          (tools:register (tool {:name "b"}))
          (ask)
          (ask)
          (assert.equal 2 tools.encoded)
          (tools:replace (tool))
          (ask)
          (assert.equal 3 tools.encoded))))))

(describe "the list"
  (fn []
    (fn filled [count]
      (let [tools (ToolRegistry)]
        (for [i 1 count]
          (tools:register (tool {:name (.. "t" i)})))
        tools))
    (it "is an array, also an empty one"
      (fn []
        (let [list (: (ToolRegistry) :page {:version "2025-11-25"
                                            :encode json-text.encode})]
          (assert.equal :array (marks.kind-of list)))))
    (it "comes in pages of a hundred, or as asked for, and ends (DEV-REG-3)"
      (fn []
        (each [_ [count size pages] (ipairs [[0 nil 1] [page-size nil 1]
                                             [(+ page-size 1) nil 2]
                                             [500 nil 5] [5 2 3]])]
          (let [tools (filled count)]
            (var (cursor n seen) (values nil 0 0))
            (while (not= cursor :end)
              (let [(list next-cursor) (page tools cursor nil size)]
                (set (n seen) (values (+ n 1) (+ seen (length list))))
                (set cursor (or next-cursor :end))))
            (assert.same [pages count] [n seen])))))
    (it "refuses a cursor that it did not give"
      (fn []
        (let [(list why) (: (filled 1) :page {:cursor "x"
                                              :version "2025-11-25"
                                              :encode json-text.encode})]
          (assert.is_nil list)
          (assert.is_truthy (why:find "cursor")))))))
