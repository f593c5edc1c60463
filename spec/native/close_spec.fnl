;; What happens when a Lua state is closed, or a program ends, while a server
;; listens. Each case is a program of its own, run by the VM that runs us.

(local vm (if _G.jit :luajit (= _VERSION "Lua 5.4") :lua54 :lua51))

(local library (string.format "package.loadlib('build/%s/moonport_core.so', %s)"
                              vm "'luaopen_moonport_core'"))

(local prelude
       (.. "local core = assert(" library ")()\n"
           "local server = core.http_server.new({})\n"
           "server:post('/', function() return {} end)\n"
           "assert(server:listen('127.0.0.1', 0))\n"))

(fn run [program]
  "Runs a program; → what it said, with its exit status at the end."
  (let [name (os.tmpname)]
    (with-open [file (assert (io.open name :w))]
      (file:write program))
    (let [command (string.format "%s %s 2>&1; echo status $?" (. arg -2) name)
          said (with-open [pipe (assert (io.popen command))]
                 (pipe:read :*a))]
      (os.remove name)
      said)))

(fn ends-well [program]
  (assert.equal "status 0\n" (run program)))

(describe "a program that ends while it listens"
  (fn []
    (it "by coming to its end"
      #(ends-well prelude))
    (it "by os.exit"
      #(ends-well (.. prelude "os.exit(0)")))
    (it "by os.exit that closes the state"
      #(ends-well (.. prelude "os.exit(0, true)")))
    (it "by an error"
      #(assert.is_truthy (: (run (.. prelude "error('oops')")) :find
                            "oops.*status 1")))
    (it "with a finalizer older than the library that calls all of it"
      ;; mlua's own state is gone then; a call must be an error or work, and
      ;; never a crash.
      #(ends-well
         (.. "local call\n"
             "local function finalizer() call() end\n"
             "if newproxy then\n"
             "  keep = newproxy(true)\n"
             "  getmetatable(keep).__gc = finalizer\n"
             "else\n"
             "  keep = setmetatable({}, {__gc = finalizer})\n"
             "end\n" prelude
             "call = function()\n"
             "  for _, part in pairs(core) do\n"
             "    if type(part) == 'table' then\n"
             "      for name, f in pairs(part) do\n"
             "        if type(f) == 'function' and name ~= 'wait' then\n"
             "          pcall(f) pcall(f, {}) pcall(f, '[1,{}]')\n"
             "        end\n"
             "      end\n"
             "    end\n"
             "  end\n"
             "  pcall(tostring, core.json.null)\n"
             "  pcall(core.http_server.wait, 0)\n"
             "  pcall(function() return server.status end)\n"
             "  pcall(function() server:stop() end)\n"
             "end\n")))))
