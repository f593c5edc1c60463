--[[ Generated from fnl/mcp/http-request.fnl by make lua; do not edit. ]] 


 local function single(value)


 if (type(value) ~= "table") then return value else
 local same = value[1] for _, v in ipairs(value) do
 same = ((same == v) and v) end return same end end

 local function joined(value)

 if (type(value) == "table") then return table.concat(value, ",") else return value end end

 local function essence(media_type)

 return string.lower((media_type:match("^%s*([^;%s]+)") or "")) end

 local function json_body_3f(_3_) local headers = _3_["headers"]


 local kind = single(headers["content-type"])
 return (kind and (essence(kind) == "application/json")) end

 local function refused_3f(range)

 return (nil ~= range:find(";%s*[qQ]=0%.?0*%s*$")) end

 local function accepts_json_3f(_4_) local headers = _4_["headers"]


 local accept = joined(headers.accept)
 local or_5_ = not accept or not accept:find("%S")
 if not or_5_ then local found = false for range in accept:gmatch("[^,]+") do if found then break end
 local and_6_ = not refused_3f(range)
 if and_6_ then local _7_ = essence(range) if ((_7_ == "*/*") or (_7_ == "application/*") or (_7_ == "application/json")) then and_6_ = true else local _ = _7_ and_6_ = false end end found = and_6_ end or_5_ = found end return or_5_ end



 local function session_id(_12_) local headers = _12_["headers"] local query = _12_["query"]


 local header = single(headers["mcp-session-id"])
 local parameter = single(query.sessionId)
 if ((header == false) or (parameter == false)) then return false elseif (header and parameter and (header ~= parameter)) then return false else

 return (header or parameter) end end

 local function version(_14_) local headers = _14_["headers"]

 local field = headers["mcp-protocol-version"]
 return (single(field) or joined(field)) end

 return {["json-body?"] = json_body_3f, ["accepts-json?"] = accepts_json_3f, ["session-id"] = session_id, version = version}
