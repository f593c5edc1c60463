;; What a server takes from the native library, here a fake of it.

(local {: native-parts} (require :mcp.parts))

(describe "parts"
  (fn []
    (it "are looked up when they are needed"
      (fn []
        (let [real (. package.loaded :mcp.native)
              json {:encode #nil}
              v4 #"id"]
          (tset package.loaded :mcp.native {: json :uuid {: v4}})
          (assert.same {: json :uuid v4} (native-parts))
          (tset package.loaded :mcp.native real))))))
