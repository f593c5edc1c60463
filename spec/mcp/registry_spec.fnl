;; The collection behind every list.

(local raises (require :support.raises))
(local {: create-registry} (require :mcp.registry))

(fn filled [count]
  "A registry with the values 1 to `count` under the keys k1, k2 …"
  (let [registry (create-registry)]
    (for [i 1 count]
      (registry:add (.. "k" i) i))
    registry))

(fn all-pages [registry size]
  (var (cursor ended) (values nil false))
  (let [pages []]
    (while (not ended)
      (let [(values-there next-cursor) (registry:page cursor size)]
        (table.insert pages values-there)
        (set (cursor ended) (values next-cursor (= next-cursor nil)))))
    pages))

(describe "a registry"
  (fn []
    (it "gives back what was put in"
      (fn []
        (let [registry (filled 2)]
          (assert.equal 1 (registry:get "k1"))
          (assert.is_nil (registry:get "k3"))
          (assert.equal 2 (registry:count)))))
    (it "takes each key once"
      (fn []
        (raises "k1 is registered already" #(: (filled 1) :add "k1" 5))))
    (it "keeps a replaced value in its place"
      (fn []
        (let [registry (filled 3)]
          (registry:replace "k2" :new)
          (assert.same [[1 :new 3]] (all-pages registry 10))
          (raises "k9 is not registered" #(registry:replace "k9" 1)))))
    (it "puts what comes back at the end"
      (fn []
        (let [registry (filled 3)]
          (assert.is_true (registry:remove "k1"))
          (assert.is_false (registry:remove "k1"))
          (registry:add "k1" :again)
          (assert.same [[2 3 :again]] (all-pages registry 10)))))))

(describe "its pages"
  (fn []
    (it "hold everything once, in order, and end (DEV-REG-3)"
      (fn []
        (each [_ [count size expected] (ipairs [[0 2 [[]]]
                                                [1 2 [[1]]]
                                                [2 2 [[1 2]]]
                                                [5 2 [[1 2] [3 4] [5]]]])]
          (assert.same expected (all-pages (filled count) size)))))
    (it "stay where they were while entries come and go"
      (fn []
        (let [registry (filled 6)
              (_ cursor) (registry:page nil 2)]
          (registry:remove "k1")
          (registry:remove "k2")
          (registry:remove "k3")
          (registry:replace "k4" :new)
          (registry:add "k7" 7)
          (assert.same [:new 5] (registry:page cursor 2)))))
    (it "are refused for cursors that nobody was given"
      (fn []
        (let [registry (filled 3)
              (_ cursor) (registry:page nil 1)
              bad ["" "x" "1" "1." ".1" "1.1" "2.1" (.. cursor "0")
                   (.. "0" cursor) (cursor:upper) 5 true {}]]
          (each [_ value (ipairs bad)]
            (when (not= value cursor)
              (let [(page why) (registry:page value 1)]
                (assert.is_nil page (tostring value))
                (assert.is_truthy (why:find "cursor")))))
          ;; Well made, but for an entry that never was.
          (let [(_ later) (: (filled 9) :page nil 8)]
            (assert.is_nil (registry:page later 1))))))))

(describe "its listeners"
  (fn []
    (it "hear of every change, until they take themselves back"
      (fn []
        (let [registry (create-registry)]
          (var heard 0)
          (let [undo (registry:on-change #(set heard (+ heard 1)))]
            (registry:add "a" 1)
            (registry:replace "a" 2)
            (registry:remove "a")
            (registry:remove "a")
            (assert.equal 3 heard)
            (undo)
            (undo)
            (registry:add "a" 1)
            (assert.equal 3 heard)))))
    (it "may be the same function twice, and go one by one"
      (fn []
        (let [registry (create-registry)]
          (var heard 0)
          (let [f #(set heard (+ heard 1))
                undo (registry:on-change f)]
            (registry:on-change f)
            (undo)
            (registry:add "a" 1)
            (assert.equal 1 heard)))))
    (it "may go while they are called"
      (fn []
        (let [registry (create-registry)
              undos []]
          (var heard 0)
          (for [i 1 3]
            (tset undos i (registry:on-change #(do (set heard (+ heard 1))
                                                   ((. undos i))))))
          (registry:add "a" 1)
          (registry:add "b" 1)
          (assert.equal 3 heard))))
    (it "hear even if one of them raises, and that is not lost"
      (fn []
        (let [registry (create-registry)]
          (var heard false)
          (registry:on-change #(error "mine" 0))
          (registry:on-change #(set heard true))
          (raises "mine" #(registry:add "a" 1))
          (assert.is_true heard)
          (assert.equal 1 (registry:get "a")))))))
