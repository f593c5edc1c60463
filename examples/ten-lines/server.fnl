;; An MCP server in a Fennel program. Run it from moonport's folder:
;;   luajit .deps/bin/fennel --add-package-path 'lua/?.lua;lua/?/init.lua' \
;;     examples/ten-lines/server.fnl
(local mcp (require :mcp))
(var count 0)

(local server
       (mcp.serve
         {:name "counter" :port (tonumber (or (os.getenv :PORT) 7332))
          :tools [{:name "count" :description "Counts up; says how far it is."
                   :input-schema {:type :object
                                  :properties {:by {:type :integer}}}
                   :handler (fn [args]
                              (set count (+ count (or args.by 1)))
                              (.. "The count is " count "."))}]}))

(print (.. "counter: an MCP server at " server.url))
(io.stdout:flush)
(mcp.run-loop) ; a program with frames calls (mcp.dispatch) in each instead
