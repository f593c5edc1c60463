;; The options of a server.

(local raises (require :support.raises))
(local {: read-options} (require :mcp.server-options))
(local {: ToolRegistry} (require :mcp.tool-registry))

(fn read [?given]
  (let [given {:http-server {} :tools (ToolRegistry)}]
    (read-options (collect [name value (pairs (or ?given {})) &into given]
                    name value))))

(describe "a server's options"
  (fn []
    (it "have defaults"
      (fn []
        (let [o (read)]
          (assert.same ["moonport" (require :mcp.version) "/mcp" 1000 3600 256]
                       [o.name o.version o.path o.max-sessions o.session-ttl
                        o.max-calls]))))
    (it "may be given, in both spellings"
      (fn []
        (let [o (read {:session_ttl 5 :max-calls 1 :path "/agents" :direct true
                       :expose_tracebacks false :logger false})]
          (assert.same [5 1 "/agents" true false false]
                       [o.session-ttl o.max-calls o.path o.direct
                        o.expose-tracebacks o.logger]))))
    (it "are refused if they make no sense"
      (fn []
        (each [_ [part given]
               (ipairs [["no option :max-session (did you mean :max-sessions?)"
                         {:max_session 1}]
                        [":session-ttl of MCPHTTPServer must be a number above"
                         {:session-ttl 0}]
                        [":max-sessions of MCPHTTPServer must be a whole number"
                         {:max-sessions 1.5}]
                        [":logger of MCPHTTPServer must be a function or false"
                         {:logger "stderr"}]
                        [":allowed-hosts of MCPHTTPServer must be a list of str"
                         {:allowed-hosts "localhost"}]
                        [":token must have at least 16" {:token "short"}]])]
          (raises part #(read given)))))
    (it "that come with a later version say so"
      (fn []
        (each [_ name (ipairs [:force-sse :max-streams :resources :prompts])]
          (raises (.. "MCPHTTPServer has no :" name " yet")
                  #(read {name true})))))
    (it "need what serves, and tools"
      (fn []
        (raises "needs an :http-server"
                #(read-options {:tools (ToolRegistry)}))
        (raises "needs :tools, a ToolRegistry"
                #(read-options {:http-server {}}))
        (raises "needs :tools, a ToolRegistry" #(read {:tools [{}]}))))))
