-- JSON against lua-cjson: how much of its time ours takes. Medians of rounds in which the two take turns, so that a machine
-- that slows down slows both. lua-cjson is only needed here (Debian: lua-cjson).
--
--   make build && luajit bench/json.lua

local vm = jit and "luajit" or _VERSION == "Lua 5.4" and "lua54" or "lua51"
local json = assert(package.loadlib("build/" .. vm .. "/moonport_core.so", "luaopen_moonport_core"))().json
local cjson = require("cjson")

local rounds = 11

local function seconds(work, times)
  local start = os.clock()
  for _ = 1, times do work() end
  return os.clock() - start
end

local function compare(name, times, ours, theirs)
  local ratios = {}
  for round = 1, rounds do
    ratios[round] = seconds(ours, times) / seconds(theirs, times)
  end
  table.sort(ratios)
  local median = ratios[(rounds + 1) / 2]
  print(("%-22s %.2f  (%.2f to %.2f)"):format(name, median, ratios[1], ratios[rounds]))
end

local call = '{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"space_echo","arguments":'
  .. '{"text":"hello world","n":1.5,"list":[1,2,3]},"_meta":{"progressToken":7}}}'

local function repeated(count)
  return "[" .. (call .. ","):rep(count - 1) .. call .. "]"
end

print("our time over lua-cjson's")
for _, document in ipairs({ { call, 20000 }, { repeated(130), 150 }, { repeated(7500), 3 } }) do
  local text, times = document[1], document[2]
  local ours, theirs = json.decode(text), cjson.decode(text)
  compare("decode " .. #text .. " B", times, function() return json.decode(text) end, function() return cjson.decode(text) end)
  compare("encode " .. #text .. " B", times, function() return json.encode(ours) end, function() return cjson.encode(theirs) end)
end
