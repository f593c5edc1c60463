--[[ Generated from fnl/mcp/tool-methods.fnl by make lua; do not edit. ]] 

 local marks = require("mcp.json-marks")
 local outcome = require("mcp.outcome")
 local _local_1_ = require("mcp.protocol") local quoted = _local_1_["quoted"]
 local results = require("mcp.result")

 local function list(handler, _2_) local id = _2_["id"] local params = _2_["params"] local session = _2_["session"]

 local cursor do local t_3_ = params if (nil ~= t_3_) then t_3_ = t_3_.cursor else end cursor = t_3_ end
 local _5_, _6_ = nil, nil local _7_ if not marks["absent?"](cursor) then _7_ = cursor else _7_ = nil end _5_, _6_ = handler.tools:page({cursor = _7_, version = session.version, encode = handler.encode, size = handler["page-size"]}) if ((_5_ == nil) and (nil ~= _6_)) then local why = _6_



 return outcome.failure(id, "invalid-params", why) elseif ((nil ~= _5_) and true) then local tools = _5_ local _3fnext_cursor = _6_
 return outcome.answer(id, {tools = tools, nextCursor = _3fnext_cursor}) else return nil end end


 local function result_of(handler, tool, version, kind, _3fa, _3fb)

 if (kind == "returned") then
 return results.returned(_3fa, _3fb, version, handler.encode) elseif (kind == "raised") then
 local result local function _10_() if handler["expose-tracebacks"] then return _3fb else return nil end end result = results.raised(_3fa, _10_())
 handler.log.warn("tool-raised", {tool = tool.name, error = result.content[1].text, traceback = _3fb})



 return result elseif (kind == "timed-out") then
 return results.failed(string.format("%s did not end within %s seconds", tool.name, tostring(tool.timeout))) elseif (kind == "cancelled") then


 return results.failed((tool.name .. " was cancelled")) else return nil end end

 local function call(handler, _12_) local id = _12_["id"] local params = _12_["params"] local session = _12_["session"] local request = _12_




 local name do local t_13_ = params if (nil ~= t_13_) then t_13_ = t_13_.name else end name = t_13_ end local arguments
 do local t_15_ = params if (nil ~= t_15_) then t_15_ = t_15_.arguments else end arguments = t_15_ end
 local tool = ((type(name) == "string") and handler.tools:get(name)) local wrong
 local function _17_(_241) return outcome.failure(id, "invalid-params", _241) end wrong = _17_
 if (type(name) ~= "string") then return wrong("tools/call needs a name, a string") elseif not tool then
 return wrong(("there is no tool " .. quoted(name))) elseif not (marks["absent?"](arguments) or marks["object?"](arguments)) then

 return wrong("arguments must be an object") else
 local _18_, _19_ = nil, nil

 local _20_ if marks["absent?"](arguments) then _20_ = {} else _20_ = arguments end

 local function _22_(...) return result_of(handler, tool, session.version, ...) end _18_, _19_ = handler:run(request, {run = tool.handler, args = _20_, timeout = tool.timeout, result = _22_}) if ((_18_ == nil) and (nil ~= _19_)) then local why = _19_

 return outcome.answer(id, results.failed(why)) elseif (nil ~= _18_) then local outcome0 = _18_
 return outcome0 else return nil end end end

 return {requests = {["tools/list"] = list, ["tools/call"] = call}, capability = "tools"}
