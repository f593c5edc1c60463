;; Finding the native library. These specs need it, built for this VM.

(fn reload []
  "Loads the module anew, as if for the first time."
  (tset package.loaded :mcp.native nil)
  (set package.loaded.moonport_core nil)
  (pcall require :mcp.native))

(describe "mcp.native"
  (fn []
    (local real-loadlib package.loadlib)
    (local kept {})
    (before_each #(each [_ name (ipairs [:mcp.native :moonport_core])]
                    (tset kept name (. package.loaded name))))
    (after_each #(do (set package.loadlib real-loadlib)
                     (each [_ name (ipairs [:mcp.native :moonport_core])]
                       (tset package.loaded name (. kept name)))))
    (it "is the library, with what it should have"
      (fn []
        (let [native (require :mcp.native)]
          (assert.equal (require :mcp.version) native.version.moonport)
          (each [_ name (ipairs [:http_server :json :uuid :crypto])]
            (assert.equal :table (type (. native name)))))))
    (it "is the same one when our modules are loaded anew"
      (fn []
        (let [native (require :mcp.native)]
          (tset package.loaded :mcp.native nil)
          (assert.equal native (require :mcp.native)))))
    (it "lists all that was tried, with the reason and the remedy"
      (fn []
        (set package.loadlib #(values nil (.. $ ": cannot open shared object "
                                              "file: No such file") :open))
        (let [(ok? err) (reload)]
          (assert.is_false ok?)
          (each [_ part (ipairs ["Tried:" "/mcp/moonport_core.so: cannot open"
                                 "/mcp/../../build/" "\n  build/"
                                 "No such file" "make build LUA=lua"])]
            (assert.is_truthy (err:find part 1 true) (.. part " in " err))))))
    (it "takes no library of another VM or version, and says so"
      (fn []
        (each [_ [vm moonport part] (ipairs [["lua99" "0.1.0"
                                              "it is built for lua99"]
                                             [nil "9.9.9"
                                              "it is version 9.9.9, not "]])]
          (let [vm (or vm (. (require :mcp.native) :version :vm))]
            (set package.loadlib #(fn [] {:version {: vm : moonport}}))
            (let [(ok? err) (reload)]
              (assert.is_false ok?)
              (assert.is_truthy (err:find part 1 true) err)))
          (set package.loadlib real-loadlib)
          (reload))))
    (it "tells what a library raises when it is opened"
      (fn []
        (set package.loadlib #(fn [] (error "no descriptors left" 0)))
        (let [(_ err) (reload)]
          (assert.is_truthy (err:find "no descriptors left" 1 true)))))
    (it "goes on to the next place"
      (fn []
        (let [native (require :mcp.native)
              tried []]
          (set package.loadlib (fn [path]
                                 (table.insert tried path)
                                 (if (= 3 (length tried))
                                     #native
                                     (values nil "x: no"))))
          (let [(ok? found) (reload)]
            (assert.is_true ok?)
            (assert.equal native found)
            (assert.equal 3 (length tried))))))))
