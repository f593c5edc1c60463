-- JSON against lua-cjson: how much of its time ours takes. Medians of rounds in which the two take turns, so that a machine
-- that slows down slows both. lua-cjson and LuaSocket are only needed here (Debian: lua-cjson, lua-socket).
--
--   make build && luajit bench/json.lua
--
-- `decode` is json.decode, `push` is exchange:json(): what is left to the program's thread when the IO thread has parsed.

local vm = jit and "luajit" or _VERSION == "Lua 5.4" and "lua54" or "lua51"
local core = assert(package.loadlib("build/" .. vm .. "/moonport_core.so", "luaopen_moonport_core"))()
local json, http_server = core.json, core.http_server
local cjson, socket = require("cjson"), require("socket")

local rounds = 15

local function seconds(work, times)
  collectgarbage()
  local start = os.clock()
  for _ = 1, times do work() end
  return os.clock() - start
end

local function compare(name, times, ours, theirs)
  local ratios, best = {}, math.huge
  for round = 1, rounds do
    local ours_took, theirs_took = seconds(ours, times), seconds(theirs, times)
    ratios[round] = ours_took / theirs_took
    best = math.min(best, ours_took)
  end
  table.sort(ratios)
  local median = ratios[(rounds + 1) / 2]
  print(("%-18s %.2f  (%.2f to %.2f)  %10.2f us"):format(name, median, ratios[1], ratios[rounds], best / times * 1e6))
end

-- Runs `work` in the handler of a request with that body.
local function with_exchange(body, work)
  local server = http_server.new({})
  local done
  server:post("/", function(exchange)
    work(exchange)
    done = true
    return { status = 204 }
  end)
  local port = assert(server:listen("127.0.0.1", 0))
  local client = assert(socket.connect("127.0.0.1", port))
  local head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
  assert(client:send(head:format(#body) .. body))
  while not done do
    http_server.wait(1)
    http_server.dispatch()
  end
  client:close()
  server:stop()
end

local call = '{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"space_echo","arguments":'
  .. '{"text":"hello world","n":1.5,"list":[1,2,3]},"_meta":{"progressToken":7}}}'

local function repeated(count)
  return "[" .. (call .. ","):rep(count - 1) .. call .. "]"
end

print("our time over lua-cjson's, " .. vm)
for _, document in ipairs({ { call, 20000 }, { repeated(130), 150 }, { repeated(7500), 3 } }) do
  local text, times = document[1], document[2]
  local value, theirs = json.decode(text), cjson.decode(text)
  local function decode_theirs() return cjson.decode(text) end
  print(#text .. " bytes")
  compare("  decode", times, function() return json.decode(text) end, decode_theirs)
  with_exchange(text, function(exchange)
    compare("  push", times, function() return exchange:json() end, decode_theirs)
  end)
  compare("  encode", times, function() return json.encode(value) end, function() return cjson.encode(theirs) end)
end
