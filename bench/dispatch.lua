-- What a frame pays when no agent wants anything: one dispatch with nothing waiting.
--
--   make build && luajit bench/dispatch.lua

local vm = jit and "luajit" or _VERSION == "Lua 5.4" and "lua54" or "lua51"
local core = assert(package.loadlib("build/" .. vm .. "/moonport_core.so", "luaopen_moonport_core"))()
local dispatch = core.http_server.dispatch
local server = core.http_server.new({})
assert(server:listen("127.0.0.1", 0))

local times, best = 1e7, math.huge
for _ = 1, 5 do
  local start = os.clock()
  for _ = 1, times do dispatch() end
  best = math.min(best, (os.clock() - start) / times)
end
print(("an idle dispatch: %.0f ns"):format(best * 1e9))
server:stop()
