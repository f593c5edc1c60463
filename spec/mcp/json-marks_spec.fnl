;; What a Lua table is in JSON.

(local marks (require :mcp.json-marks))
(local raises (require :support.raises))

(describe "a mark"
  (fn []
    (it "says what a table is"
      (fn []
        (assert.equal :array (marks.kind-of (marks.array)))
        (assert.equal :object (marks.kind-of (marks.object)))
        (assert.equal :null (marks.kind-of marks.null))
        (assert.equal :raw (marks.kind-of (marks.raw "{}")))
        (each [_ value (ipairs [{} 5 "array" true])]
          (assert.is_nil (marks.kind-of value)))
        (assert.is_nil (marks.kind-of nil))))
    (it "is put on the table that is given"
      (fn []
        (let [list [1 2]]
          (assert.equal list (marks.array list))
          (assert.equal :array (marks.kind-of list)))))
    (it "can be changed from one to the other, and to nothing else"
      (fn []
        (assert.equal :object (marks.kind-of (marks.object (marks.array))))
        (raises "a metatable of its own" #(marks.array (setmetatable {} {})))
        (raises "a metatable of its own" #(marks.array marks.null))
        (raises "a metatable of its own" #(marks.object (marks.raw "1")))))
    (it "is recognised by its field, whoever made it"
      (fn []
        (let [foreign (setmetatable {} {:__jsontype :array})]
          (assert.equal :array (marks.kind-of foreign))
          (assert.is_true (marks.null? (setmetatable {} {:__jsontype :null})))
          (assert.is_nil (marks.kind-of (setmetatable {} {:__metatable :x})))
          (assert.is_nil (marks.kind-of (setmetatable {}
                                                      {:__index #:array}))))))))

(describe "a decoded value"
  (fn []
    (it "is absent if it is nil or null"
      (fn []
        (assert.is_true (marks.absent? nil))
        (assert.is_true (marks.absent? marks.null))
        (each [_ value (ipairs [false 0 "" {}])]
          (assert.is_false (marks.absent? value)))))
    (it "is an object if it is a table that is marked as nothing else"
      (fn []
        (assert.is_true (marks.object? {}))
        (assert.is_true (marks.object? (marks.object)))
        (each [_ value (ipairs [(marks.array) marks.null (marks.raw "{}") 5])]
          (assert.is_false (marks.object? value)))
        (assert.is_false (marks.object? nil))))
    (it "is a large integer only if the native library made it"
      (fn []
        (assert.is_false (marks.large-integer? io.stdout))
        (assert.is_false (marks.large-integer? 5))))))

(describe "null"
  (fn []
    (it "prints as what it is"
      (fn []
        (assert.equal "null" (tostring marks.null))))))
