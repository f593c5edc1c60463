;; examples.hello.main: a live program with an MCP server inside. Balls bounce
;; in a box at 60 frames a second; an agent sees and moves them as they fly.
;;
;;   make run [PORT=7331] [FRAMES=600]        PORT=0 takes any free port

(local {: http_server} (require :mcp.native))
(local {: MCPHTTPServer} (require :mcp.server-http))
(local world (require :examples.hello.world))
(local {: create-tools} (require :examples.hello.tools))

(local frame-time (/ 1 60))
(local answer-ms 8) ; for agents even when a frame is late: half a frame
(local too-late 0.25) ; behind by more (a suspended laptop): skip, don't race

(fn fail [message]
  (io.stderr:write "hello: " message "\n")
  (os.exit 1))

(fn whole-number [variable low high default]
  "What the environment variable says, or `default` if unset or empty."
  (let [text (or (os.getenv variable) "")
        number (and (text:match "^%d+$") (tonumber text))]
    (if (= text "") default
        (and number (<= low number high)) number
        (fail (string.format "%s=%s is not a whole number from %d to %d"
                             variable text low high)))))

(fn terminal? []
  (let [status (os.execute "test -t 1")]
    (or (= status 0) (= status true))))

(fn announce [url]
  (print (.. "hello: an MCP server at " url "\n\n"
             "  OpenCode     opencode mcp add hello --url " url "\n"
             "  Claude Code  claude mcp add --transport http hello " url "\n"
             "  Codex        codex mcp add hello --url " url "\n\n"
             "or in opencode.json:\n"
             "  \"mcp\": {\"hello\": {\"type\": \"remote\", \"url\": \""
             url "\"}}\n\n"
             "Then ask: what moves in hello?   Ctrl-C stops.\n")))

(fn create-status-line [w]
  "A function to call every frame with the seconds since the start: one line
redrawn ten times a second on a terminal, a new line every ten seconds
elsewhere."
  (let [(every before after) (if (terminal?) (values 6 "\r" "\027[K")
                                 (values 600 "" "\n"))]
    (fn [seconds]
      (when (= 0 (% w.frame every))
        (io.write before (world.draw w 40)
                  (string.format " frame %d, %.1f a second"
                                 w.frame (/ w.frame seconds))
                  after)
        (io.flush)))))

(fn answer-until [due]
  "Sleeps till the next frame is due, and runs what agents ask for meanwhile.
At least one dispatch a frame, and none that could hold up the next for long."
  (http_server.dispatch {:max_ms answer-ms})
  (var left (- due (http_server.now)))
  (while (> left 0)
    (when (http_server.wait left)
      (http_server.dispatch {:max_ms (* 1000 left)}))
    (set left (- due (http_server.now)))))

(fn play [w frames show]
  "Runs that many frames (nil: for ever), each due a sixtieth after the last."
  (let [start (http_server.now)]
    (var due start)
    (while (not= w.frame frames)
      (world.step! w frame-time)
      (set due (+ due frame-time))
      (when (> (- (http_server.now) due) too-late)
        (set due (http_server.now)))
      (answer-until due)
      (show (- (http_server.now) start)))))

(fn main []
  (let [port (whole-number :PORT 0 65535 7331)
        frames (whole-number :FRAMES 1 1e9)
        w (world.create-world)
        show (create-status-line w)
        server (MCPHTTPServer {:http-server (http_server.new {})
                               :name "hello"
                               :tools (create-tools w)})]
    (case (server:start {:host "127.0.0.1" : port})
      (nil message) (fail (.. message "; PORT=n chooses another port"))
      bound (let [url (string.format "http://127.0.0.1:%d/mcp" bound)
                  (ok? why) (xpcall #(do (announce url) (play w frames show))
                                    debug.traceback)]
              (server:stop)
              ;; Ctrl-C: the interpreter raises it as an error of this name.
              (if (or ok? (: (tostring why) :find "interrupted!" 1 true))
                  (print "\nhello: stopped")
                  (fail why))))))

(io.stdout:setvbuf :line)
(main)
