--[[ Generated from fnl/mcp/result.fnl by make lua; do not edit. ]] 




 local marks = require("mcp.json-marks")
 local revisions = require("mcp.revisions")

 local function string_3f(value)
 return (type(value) == "string") end

 local function text_block(text)
 return {type = "text", text = text} end

 local function failed(message)

 return {content = marks.array({text_block(message)}), isError = true} end

 local function unsendable(why)
 return failed(("the tool's result cannot be sent: " .. why)) end



 local function whole_resource_3f(resource)
 return ((type(resource) == "table") and string_3f(resource.uri) and (string_3f(resource.text) or string_3f(resource.blob))) end




 local blocks
 local function _1_(_241) return string_3f(_241.text) end
 local function _2_(_241) return (string_3f(_241.data) and string_3f(_241.mimeType)) end

 local function _3_(_241) return (string_3f(_241.data) and string_3f(_241.mimeType)) end

 local function _4_(_241) return whole_resource_3f(_241.resource) end
 local function _5_(_241) return (string_3f(_241.uri) and string_3f(_241.name)) end blocks = {text = {["whole?"] = _1_, members = {"text"}}, image = {["whole?"] = _2_, members = {"data", "mimeType"}}, audio = {["whole?"] = _3_, members = {"data", "mimeType"}}, resource = {["whole?"] = _4_, members = {"resource"}}, resource_link = {["whole?"] = _5_, members = {"uri"}}}


 local function block_3f(value)

 local kind = ((type(value) == "table") and blocks[(value.type or false)])
 local and_6_ = kind if and_6_ then local found = false for _, member in ipairs(kind.members) do if found then break end

 found = (nil ~= value[member]) end and_6_ = found end return and_6_ end

 local function whole_3f(block)
 return (block_3f(block) and blocks[block.type]["whole?"](block)) end


 local block_features = {audio = "audio", resource_link = "resource-link"}

 local function for_revision(block, version)

 local feature = block_features[block.type]
 if (not feature or revisions.feature(version, feature)) then return block elseif (block.type == "resource_link") then

 return text_block((block.name .. ": " .. block.uri)) else
 return text_block(string.format(("(sound, %s, which this client's " .. "protocol version cannot take)"), block.mimeType)) end end



 local function from_blocks(list, version, encode)
 local broken do local found = nil for i, block in ipairs(list) do if found then break end
 if not whole_3f(block) then found = i else found = nil end end broken = found end
 if broken then
 return failed(string.format(("the tool's result cannot be sent: content block %d is " .. "not whole; mcp.text and its like make whole ones"), broken)) else



 local _9_, _10_ = nil, nil local function _11_() local tbl_21_ = {} local i_22_ = 0 for _, block in ipairs(list) do
 local val_23_ = for_revision(block, version) if (nil ~= val_23_) then i_22_ = (i_22_ + 1) tbl_21_[i_22_] = val_23_ else end end return tbl_21_ end _9_, _10_ = encode(marks.array(_11_())) if ((_9_ == nil) and (nil ~= _10_)) then local why = _10_
 local _13_ if why:find("^%[") then _13_ = "" else _13_ = ": " end return unsendable(("content" .. _13_ .. why)) elseif (nil ~= _9_) then local text = _9_

 return {content = marks.raw(text)} else return nil end end end



 local function from_structure(value, version, encode)

 local _17_, _18_ = encode(value) if ((_17_ == nil) and (nil ~= _18_)) then local why = _18_
 return unsendable(why) elseif (nil ~= _17_) then local text = _17_


 local _19_ if (text:find("^{") and revisions.feature(version, "structured-content")) then


 _19_ = marks.raw(text) else _19_ = nil end return {content = marks.array({text_block(text)}), structuredContent = _19_} else return nil end end

 local function from_scalar(value, encode)
 local _22_, _23_ = encode(value) if ((_22_ == nil) and (nil ~= _23_)) then local why = _23_
 return unsendable(why) elseif (nil ~= _22_) then local text = _22_
 return {content = marks.array({text_block(text)})} else return nil end end

 local function has_block_3f(list) local found = false
 for _, item in ipairs(list) do if found then break end
 found = block_3f(item) end return found end

 local function from_value(value, version, encode)
 if marks["absent?"](value) then return {content = marks.array()} elseif string_3f(value) then
 return {content = marks.array({text_block(value)})} elseif (type(value) ~= "table") then
 return from_scalar(value, encode) elseif block_3f(value) then
 return from_blocks({value}, version, encode) elseif has_block_3f(value) then
 return from_blocks(value, version, encode) else
 return from_structure(value, version, encode) end end





 local places = {"^%[string \".-\"%]:%d+: ", "^[^%s:]+%.%a+:%d+: ", "^/[^:\n]+:%d+: ", "^%.%.%.[^:\n]+:%d+: ", "^%a:[\\/][^:\n]+:%d+: "}





 local function without_place(text)
 local short = text for _, pattern in ipairs(places) do if (short ~= text) then break end
 short = (short:gsub(pattern, "")) end return short end

 local function error_text(err)

 local _26_ = type(err) if (_26_ == "string") then
 return without_place(err) elseif (_26_ == "nil") then return "the tool failed without saying why" elseif ((_26_ == "number") or (_26_ == "boolean")) then

 return tostring(err) else local and_27_ = (_26_ == "table") if and_27_ then and_27_ = string_3f(err.message) end if and_27_ then
 return err.message else local and_29_ = true if and_29_ then local _ = _26_
 local _32_ do local t_31_ = getmetatable(err) if (nil ~= t_31_) then t_31_ = t_31_.__tostring else end _32_ = t_31_ end and_29_ = _32_ end if and_29_ then local _ = _26_ return tostring(err) elseif (nil ~= _26_) then local other = _26_
 return ("the tool failed with a " .. other .. " for a message") else return nil end end end end

 local function guarded(f)


 local _35_, _36_ = pcall(f) if ((_35_ == true) and (nil ~= _36_)) then local result = _36_
 return result else local _ = _35_
 return failed("what the tool gave back cannot be read: that raises an error") end end

 local function returned(value, _3fmessage, version, encode)










 local function _38_() if ((value == nil) and (_3fmessage ~= nil)) then
 return failed(error_text(_3fmessage)) else
 return from_value(value, version, encode) end end return guarded(_38_) end

 local function raised(err, _3ftraceback)


 local function _40_() local function _43_() if _3ftraceback then
 local _41_ if string_3f(err) then _41_ = err else _41_ = error_text(err) end return (_41_ .. "\n" .. _3ftraceback) else

 return error_text(err) end end return failed(_43_()) end return guarded(_40_) end

 return {returned = returned, raised = raised, failed = failed, ["error-text"] = error_text}
