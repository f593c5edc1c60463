;; The run loop under its other name.

(describe "callbacks"
  (fn []
    (it "is the run loop"
      (fn []
        (assert.equal (require :mcp.run-loop) (require :callbacks))))))
