--[[ Generated from fnl/mcp/protocol.fnl by make lua; do not edit. ]] 


 local marks = require("mcp.json-marks")

 local codes = {["parse-error"] = -32700, ["invalid-request"] = -32600, ["method-not-found"] = -32601, ["invalid-params"] = -32602, ["internal-error"] = -32603} local max_id_length = 1024








 local function valid_id_3f(id)


 local _1_ = type(id) if (_1_ == "string") then
 return (#id <= max_id_length) elseif (_1_ == "number") then
 return (0 == (id % 1)) else local _ = _1_
 return marks["large-integer?"](id) end end

 local function response_3f(message)

 return ((message.method == nil) and ((message.result ~= nil) or (message.error ~= nil))) end


 local function classify(message)











 local and_3_ = (nil ~= message) if and_3_ then local list = message and_3_ = (marks["kind-of"](list) == "array") end if and_3_ then local list = message return "batch" else local and_5_ = true if and_5_ then local _3fother = message and_5_ = not marks["object?"](_3fother) end if and_5_ then local _3fother = message


 return "invalid", nil, "a message is a JSON object" else local and_7_ = ((_G.type(message) == "table") and (nil ~= message.id)) if and_7_ then local id = message.id and_7_ = (not response_3f(message) and not valid_id_3f(id)) end if and_7_ then local id = message.id

 return "invalid", nil, string.format("an id is a string of at most %d bytes or an integer", max_id_length) else local and_9_ = ((_G.type(message) == "table") and true and true) if and_9_ then local _3fversion = message.jsonrpc local _3fid = message.id and_9_ = (_3fversion ~= "2.0") end if and_9_ then local _3fversion = message.jsonrpc local _3fid = message.id



 local _11_ if valid_id_3f(_3fid) then _11_ = _3fid else _11_ = nil end return "invalid", _11_, "jsonrpc must be the string \"2.0\"" else local and_13_ = ((_G.type(message) == "table") and true) if and_13_ then local _3fid = message.id and_13_ = response_3f(message) end if and_13_ then local _3fid = message.id

 return "response", _3fid else local and_15_ = ((_G.type(message) == "table") and (nil ~= message.method) and true and true) if and_15_ then local method = message.method local _3fid = message.id local _3fparams = message.params and_15_ = (type(method) == "string") end if and_15_ then local method = message.method local _3fid = message.id local _3fparams = message.params

 local _17_ if (_3fid == nil) then _17_ = "notification" else _17_ = "request" end
 local function _19_() if marks["absent?"](_3fparams) then return nil else return _3fparams end end return _17_, _3fid, method, _19_() elseif ((_G.type(message) == "table") and true) then local _3fid = message.id
 return "invalid", _3fid, "method must be a string" else return nil end end end end end end end

 local function result(id, value)

 return {jsonrpc = "2.0", id = id, result = value} end

 local function failure(_3fid, code, message, _3fdata)


 return {jsonrpc = "2.0", id = _3fid, error = {code = code, message = message, data = _3fdata}} end local max_quoted = 80




 local function quoted(text)

 local short if (max_quoted < #text) then

 short = ((text:sub(1, max_quoted):gsub("[\192-\255][\128-\191]*$", "")) .. "\226\128\166") else



 short = text end
 return ("\"" .. (short:gsub("%c", " ")) .. "\"") end

 return {codes = codes, classify = classify, result = result, failure = failure, quoted = quoted, ["max-id-length"] = max_id_length}
