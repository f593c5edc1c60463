;; The facade, over a fake of the native library.

(local {: create-http} (require :support.fake-http))
(local json-text (require :support.json-text))
(local mcp (require :mcp))
(local raises (require :support.raises))

(local made [])

(local fake {:http_server {:new #(let [http (create-http)]
                                   (table.insert made http)
                                   http)
                           :dispatch #$}
             :json json-text
             :uuid {:v4 #"id"}
             :crypto {:base64 #(.. "base64 of " $)}})

(local echo {:name "echo" :description "Echoes." :handler #nil})

(describe "mcp"
  (fn []
    (var real nil)
    (before_each #(do (set real (. package.loaded :mcp.native))
                      (tset package.loaded :mcp.native fake)
                      (tset package.loaded :mcp.servers nil)))
    (after_each #(tset package.loaded :mcp.native real))
    (it "makes content blocks"
      (fn []
        (assert.same {:type :text :text "t"} (mcp.text "t"))
        (assert.same {:type :image :data "base64 of x" :mimeType "image/png"}
                     (mcp.image "x" "image/png"))
        (assert.same {:type :audio :data "base64 of x" :mimeType "audio/wav"}
                     (mcp.audio "x" "audio/wav"))
        (assert.same {:type :resource
                      :resource {:uri "u:1" :text "t" :mimeType "text/css"}}
                     (mcp.resource "u:1" {:text "t" :mime_type "text/css"}))
        (assert.same {:type :resource
                      :resource {:uri "u:1" :blob "base64 of x"}}
                     (mcp.resource "u:1" {:bytes "x"}))
        (assert.same {:type :resource_link :uri "u:1" :name "n" :title "T"
                      :mimeType "text/css"}
                     (mcp.resource-link "u:1" "n" {:title "T"
                                                   :mime-type "text/css"}))
        (assert.equal mcp.resource-link mcp.resource_link)))
    (it "makes whole ones only"
      (fn []
        (raises "the text must be a string, not a number" #(mcp.text 5))
        (raises "an image's bytes must be a string" #(mcp.image nil "x"))
        (raises "an image's type must be a string" #(mcp.image "x"))
        (raises "a sound's type must be a string" #(mcp.audio "x"))
        (raises "a resource's URI must be a string"
                #(mcp.resource nil {:text "t"}))
        (raises ":text or :bytes" #(mcp.resource "u:1" {}))
        (raises ":text or :bytes" #(mcp.resource "u:1" {:text "" :bytes ""}))
        (raises "no option :txt" #(mcp.resource "u:1" {:txt ""}))
        (raises "a link's name must be a string" #(mcp.resource-link "u:1"))))
    (it "makes blocks that results take as whole"
      (fn []
        (let [{: returned} (require :mcp.result)]
          (each [_ block (ipairs [(mcp.text "") (mcp.image "" "image/png")
                                  (mcp.audio "" "audio/wav")
                                  (mcp.resource "u:1" {:text ""})
                                  (mcp.resource "u:1" {:bytes ""})
                                  (mcp.resource-link "u:1" "n")])]
            (assert.is_nil (. (returned block nil "2025-11-25"
                                        json-text.encode)
                              :isError))))))
    (it "serves"
      (fn []
        (let [server (mcp.serve {:name "game" :tools [echo] :port 9
                                 :logger false})]
          (assert.equal "http://127.0.0.1:9/mcp" server.url)
          (assert.equal 1 (. (server:status) :tools)))))
    (it "serves a registry as well, and nothing at all"
      (fn []
        (let [{: ToolRegistry} (require :mcp.tool-registry)
              tools (ToolRegistry)]
          (tools:register echo)
          (assert.equal 1 (. (: (mcp.serve {: tools :logger false}) :status)
                             :tools))
          (assert.equal 0 (. (: (mcp.serve {:logger false}) :status)
                             :tools)))))
    (it "stops the one before of that name, and no other"
      (fn []
        (let [serve #(mcp.serve {:name $ :tools [echo] :logger false})
              first (serve "a")
              other (serve "b")
              second (serve "a")]
          (assert.same [false true true]
                       (icollect [_ server (ipairs [first other second])]
                         (. (server:status) :running))))))
    (it "stops it too when our modules were loaded anew"
      (fn []
        (let [first (mcp.serve {:name "a" :logger false})]
          (tset package.loaded :mcp nil)
          (let [again (require :mcp)]
            (again.serve {:name "a" :logger false})
            (tset package.loaded :mcp mcp)
            (assert.is_false (. (first:status) :running))))))
    (it "keeps the one before if the new one is not well made"
      (fn []
        (let [first (mcp.serve {:name "a" :logger false})]
          (raises "no option :naem" #(mcp.serve {:naem "a"}))
          (raises "a tool's name" #(mcp.serve {:name "a" :tools [{}]}))
          (assert.is_true (. (first:status) :running)))))
    (it "raises if it cannot listen"
      (fn []
        (let [new fake.http_server.new]
          (set fake.http_server.new #(let [http (new)]
                                       (set http.refusal "port 9 is in use")
                                       http))
          (raises "port 9 is in use" #(mcp.serve {:port 9 :logger false}))
          (set fake.http_server.new new)
          (raises ":allow-non-loopback"
                  #(mcp.serve {:host "192.0.2.1" :logger false})))))
    (it "leaves the options that it was given alone"
      (fn []
        (let [options {:name "a" :host "127.0.0.1" :port 9 :logger false}]
          (mcp.serve options)
          (assert.same {:name "a" :host "127.0.0.1" :port 9 :logger false}
                       options))))
    (it "dispatches with the limits that it is given"
      (fn []
        (assert.same {:max_ms 1} (mcp.dispatch {:max_ms 1}))))
    (it "has the marks, and the loop in both spellings"
      (fn []
        (let [marks (require :mcp.json-marks)]
          (assert.same [marks.array marks.object marks.null]
                       [mcp.array mcp.object mcp.null])
          (assert.equal mcp.run-loop mcp.run_loop))))))
