--[[ Generated from fnl/mcp/run-loop.fnl by make lua; do not edit. ]] 


 local options = require("mcp.options")

 local function left(_3fdeadline, now)

 if _3fdeadline then return math.max(0, (_3fdeadline - now)) else return nil end end

 local function run_loop(_3fgiven)










 local _let_2_ = options.read("run-loop", (_3fgiven or {}), {["until"] = "function", timeout = options["not-negative"], poll = "function"}) local _until = _let_2_["until"] local timeout = _let_2_["timeout"] local poll = _let_2_["poll"]




 local _let_3_ = require("mcp.native") local http_server = _let_3_["http_server"] local deadline
 if timeout then deadline = (http_server.now() + timeout) else deadline = nil end
 local result = nil
 while (result == nil) do
 http_server.dispatch()
 if poll then
 poll() else end
 if (_until and _until()) then result = true elseif (deadline and (deadline <= http_server.now())) then result = false else

 http_server.wait(left(deadline, http_server.now())) end end
 return result end

 return {["run-loop"] = run_loop, run_loop = run_loop}
