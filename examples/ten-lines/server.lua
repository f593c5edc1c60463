-- An MCP server in a Lua program. Run it from moonport's folder:
--   LUA_PATH='lua/?.lua;lua/?/init.lua' luajit examples/ten-lines/server.lua
local mcp = require("mcp")
local count = 0

local server = mcp.serve {
  name = "counter", port = tonumber(os.getenv("PORT") or 7332),
  tools = { {
    name = "count", description = "Counts up; says how far it is.",
    input_schema = { type = "object", properties = { by = { type = "integer" } } },
    handler = function(args)
      count = count + (args.by or 1)
      return "The count is " .. count .. "."
    end,
  } },
}

print("counter: an MCP server at " .. server.url)
io.stdout:flush()
mcp.run_loop() -- a program with frames calls mcp.dispatch() in each instead
