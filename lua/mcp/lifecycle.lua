--[[ Generated from fnl/mcp/lifecycle.fnl by make lua; do not edit. ]] 


 local marks = require("mcp.json-marks")
 local outcome = require("mcp.outcome")
 local revisions = require("mcp.revisions") local max_name_length = 200





 local function short(value)
 if (type(value) == "string") then return value:sub(1, max_name_length) else return nil end end

 local function client_of(params)

 local info if marks["object?"](params.clientInfo) then info = params.clientInfo else info = {} end
 return {name = short(info.name), version = short(info.version), title = short(info.title)} end




 local known_capabilities = {roots = {"listChanged"}, sampling = {"tools", "context"}, elicitation = {"form", "url"}}



 local function capabilities_of(params)


 local given if marks["object?"](params.capabilities) then given = params.capabilities else given = {} end local tbl_16_ = {}
 for name, parts in pairs(known_capabilities) do local k_17_, v_18_ = nil, nil
 do local value = given[name]
 if marks["object?"](value) then
 local function _4_() local tbl_16_0 = {} for _, part in ipairs(parts) do local k_17_0, v_18_0 = nil, nil
 if (value[part] and not marks["null?"](value[part])) then

 k_17_0, v_18_0 = part, true else k_17_0, v_18_0 = nil end if ((k_17_0 ~= nil) and (v_18_0 ~= nil)) then tbl_16_0[k_17_0] = v_18_0 else end end return tbl_16_0 end k_17_, v_18_ = name, _4_() else k_17_, v_18_ = nil end end if ((k_17_ ~= nil) and (v_18_ ~= nil)) then tbl_16_[k_17_] = v_18_ else end end return tbl_16_ end

 local function slip(params)



 local table_or_absent_3f local function _9_(value)
 return (marks["absent?"](value) or (type(value) == "table")) end table_or_absent_3f = _9_
 if not marks["object?"](params) then return "initialize needs params, an object" elseif (type(params.protocolVersion) ~= "string") then

 return ("initialize needs a protocolVersion, a string such as \"" .. revisions["newest-legacy"] .. "\"") elseif not table_or_absent_3f(params.clientInfo) then return "clientInfo must be an object with name and version" elseif not table_or_absent_3f(params.capabilities) then return "capabilities must be an object" else return nil end end






 local function initialize(handler, _11_) local id = _11_["id"] local params = _11_["params"] local session = _11_["session"]


 local _12_ = (not session and slip(params)) if (_12_ == false) then
 return outcome.refusal("invalid", id, ("this session is initialized already; send " .. "initialize without a session id for another")) elseif (_12_ == nil) then


 local version = revisions.negotiate(params.protocolVersion) local opened = handler.sessions:open({version = version, client = client_of(params), capabilities = capabilities_of(params)})




 local answer = outcome.answer(id, {protocolVersion = version, capabilities = handler.capabilities, serverInfo = handler.info, instructions = handler.instructions})



 answer.session = opened
 return answer elseif (nil ~= _12_) then local why = _12_
 return outcome.failure(id, "invalid-params", why) else return nil end end

 local function ping(_, _14_) local id = _14_["id"]

 return outcome.answer(id, marks.object()) end



 local function _15_() return nil end return {requests = {initialize = initialize, ping = ping}, notifications = {["notifications/initialized"] = _15_}}
