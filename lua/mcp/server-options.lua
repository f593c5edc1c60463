--[[ Generated from fnl/mcp/server-options.fnl by make lua; do not edit. ]] 


 local guard = require("mcp.guard")
 local options = require("mcp.options")
 local moonport_version = require("mcp.version") local max_sessions = 1000 local session_ttl = 3600 local max_calls = 256










 local defaults = {name = "moonport", version = moonport_version, path = "/mcp", ["max-sessions"] = max_sessions, ["session-ttl"] = session_ttl, ["max-calls"] = max_calls}






 local streams = {later = "streams come with a later version"}
 local features = {later = "it comes with a later version"}

 local count = options["whole-number"](1, 1000000)

 local function logger(value)

 return ((value == false) or (type(value) == "function")), "a function or false" end


 local known = {["http-server"] = true, tools = "table", name = "string", version = "string", instructions = "string", path = "string", direct = "boolean", ["allow-non-loopback"] = "boolean", token = "string", ["allowed-hosts"] = options.strings, ["allowed-origins"] = options.strings, logger = logger, ["session-ttl"] = options.positive, ["max-sessions"] = count, ["max-calls"] = count, ["page-size"] = count, ["expose-tracebacks"] = "boolean", ["force-sse"] = streams, ["max-streams"] = streams, resources = features, prompts = features}





















 local function read_options(given)



 local read = options.read("MCPHTTPServer", given, known)
 if not read["http-server"] then
 error(("MCPHTTPServer needs an :http-server, such as " .. "(http_server.new {})"), 0) else end


 local _3_ do local t_2_ = read if (nil ~= t_2_) then t_2_ = t_2_.tools else end if (nil ~= t_2_) then t_2_ = t_2_.register else end _3_ = t_2_ end if not _3_ then
 error("MCPHTTPServer needs :tools, a ToolRegistry", 0) else end
 if read.token then
 guard["check-token"](read.token) else end
 for name, value in pairs(defaults) do
 if (nil == read[name]) then
 read[name] = value else end end
 return read end

 return {["read-options"] = read_options}
