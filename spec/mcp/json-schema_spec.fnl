;; Schemas and other tables for the wire, checked before a client sees them.

(local json-schema (require :mcp.json-schema))
(local json-text (require :support.json-text))
(local marks (require :mcp.json-marks))
(local raises (require :support.raises))

(fn text [schema]
  "A prepared schema as JSON."
  (assert (json-text.encode (json-schema.prepare schema "the schema"))))

(fn refused [why schema]
  (raises why #(json-schema.prepare schema "the schema")))

(describe "a schema"
  (fn []
    (it "of nothing is one of any object"
      (fn []
        (assert.equal "{\"type\":\"object\"}" (text nil))))
    (it "has objects and arrays where they belong, also empty (DEV-TOOL-1)"
      (fn []
        (assert.equal
          (.. "{\"$defs\":{},\"additionalProperties\":{},\"allOf\":[],"
              "\"properties\":{\"a\":{\"properties\":{},\"required\":[],"
              "\"type\":\"object\"},\"b\":{\"items\":{},\"type\":\"array\"},"
              "\"c\":{\"enum\":[],\"examples\":[]},\"d\":{}},"
              "\"required\":[],\"type\":\"object\"}")
          (text {:type :object
                 :$defs {}
                 :additionalProperties {}
                 :allOf {}
                 :required {}
                 :properties {:a {:type :object :properties {} :required {}}
                              :b {:type :array :items {}}
                              :c {:enum {} :examples {}}
                              :d {}}}))))
    (it "may have properties with the names of keywords"
      (fn []
        (assert.equal (.. "{\"properties\":{\"enum\":{},\"properties\":{},"
                          "\"required\":{}},\"type\":\"object\"}")
                      (text {:type :object
                             :properties {:enum {} :properties {}
                                          :required {}}}))))
    (it "has defaults as the marks declare them; {} unless they say"
      (fn []
        (assert.equal (.. "{\"properties\":{\"a\":{\"default\":{}},"
                          "\"b\":{\"default\":[]},\"c\":{\"default\":null},"
                          "\"d\":{\"const\":[[],{}]}},\"type\":\"object\"}")
                      (text {:type :object
                             :properties {:a {:default {}}
                                          :b {:default (marks.array)}
                                          :c {:default marks.null}
                                          :d {:const [(marks.array) {}]}}}))))
    (it "may say true or false for a schema, and several types"
      (fn []
        (assert.equal
          (.. "{\"additionalProperties\":false,\"properties\":{\"a\":true,"
              "\"b\":{\"type\":[\"string\",\"null\"]}},\"type\":\"object\"}")
          (text {:type :object
                 :additionalProperties false
                 :properties {:a true :b {:type [:string :null]}}}))))
    (it "keeps keywords that it does not know (requirements 16)"
      (fn []
        (assert.equal (.. "{\"$anchor\":\"a\",\"type\":\"object\","
                          "\"x\":{\"y\":[1]}}")
                      (text {:type :object :$anchor :a :x {:y [1]}}))))
    (it "is copied: what the program does to its own table later is its affair"
      (fn []
        (let [given {:type :object :properties {:a {}}}
              prepared (json-schema.prepare given "the schema")]
          (set given.properties.a.type 5)
          (assert.is_nil (getmetatable given.properties))
          (assert.equal "{\"properties\":{\"a\":{}},\"type\":\"object\"}"
                        (json-text.encode prepared)))))))

(describe "no schema"
  (fn []
    (it "is what is not an object's"
      (fn []
        (refused "the schema must be a table, not a string" "x")
        (refused "the schema must be a table, not a boolean" false)
        (refused "must have the type \"object\"" {})
        (refused "must have the type \"object\"" {:type :array})
        (refused "must have the type \"object\"" marks.null)))
    (it "has the wrong thing at a keyword"
      (fn []
        (refused "the schema.properties must be a table with names"
                 {:type :object :properties ["a"]})
        (refused "the schema.properties must be a table with names"
                 {:type :object :properties "a"})
        (refused "the schema.properties.a must be a table with names"
                 {:type :object :properties {:a "string"}})
        (refused "the schema.properties.a must be a table with names"
                 {:type :object :properties {:a marks.null}})
        (refused "the schema.required must be a list"
                 {:type :object :required "a"})
        (refused "the schema.required must be a list"
                 {:type :object :required {:a true}})
        (refused "the schema.required must be a list"
                 {:type :object :required true})
        (refused "the schema.properties.a.enum must be a list"
                 {:type :object :properties {:a {:enum {:x 1}}}})))
    (it "has values that JSON has not, each with its path"
      (fn []
        (refused "the schema.a is a function, which cannot be JSON"
                 {:type :object :a print})
        (refused "the schema.a[2].b is a userdata"
                 {:type :object :a [1 {:b io.stdout}]})
        (refused "the schema.a is nan" {:type :object :a (math.abs (/ 0 0))})
        (refused "the schema.a is inf" {:type :object :a math.huge})
        (refused "the schema.description is not valid UTF-8"
                 {:type :object :description "\255"})
        (refused "is not valid UTF-8" {:type :object "\255" 1})
        (refused "the schema.a is raw JSON"
                 {:type :object :a (marks.raw "1")})))
    (it "has tables that are neither lists nor objects (DEV-DATA-5)"
      (fn []
        (each [_ value (ipairs [[1 nil 3] {1 1 1000000 1} {0 1} {1.5 1}
                                {1 1 :a 2} (marks.array {:a 1})
                                (marks.object [1])])]
          (refused "the schema.a is neither a list" {:type :object :a value}))
        (refused "the schema.a has a key that is a boolean"
                 {:type :object :a {true 1}})))
    (it "is nested without an end"
      (fn []
        (let [loop {:type :object}]
          (set loop.properties {:again loop})
          (refused "nested too deep, or holds itself" loop))))))

(describe "another table for the wire"
  (fn []
    (fn prepared [value kind]
      (json-text.encode (json-schema.prepare-value value kind "it")))
    (it "is an object or a list, as is wanted"
      (fn []
        (assert.equal "{}" (prepared {} :object))
        (assert.equal "[]" (prepared {} :array))
        (assert.equal "[{\"src\":\"x\"}]" (prepared [{:src :x}] :array))
        (assert.equal "{\"a\":{\"b\":[1]},\"c/d\":5,\"e\":{}}"
                      (prepared {:a {:b [1]} "c/d" 5 :e {}} :object))
        (raises "it must be a list" #(prepared {:src :x} :array))
        (raises "it must be a table with names" #(prepared [1] :object))
        (raises "it must be a table with names" #(prepared "x" :object))))))
