--[[ Generated from fnl/mcp/json-schema.fnl by make lua; do not edit. ]] 





 local marks = require("mcp.json-marks")
 local utf8_text = require("mcp.utf8-text") local max_depth = 100








 local places = {properties = "schemas-by-name", patternProperties = "schemas-by-name", ["$defs"] = "schemas-by-name", definitions = "schemas-by-name", dependentSchemas = "schemas-by-name", dependentRequired = "lists-by-name", allOf = "schemas", anyOf = "schemas", oneOf = "schemas", prefixItems = "schemas", items = "schema", additionalItems = "schema", unevaluatedItems = "schema", contains = "schema", additionalProperties = "schema", unevaluatedProperties = "schema", propertyNames = "schema", contentSchema = "schema", ["not"] = "schema", ["if"] = "schema", ["then"] = "schema", ["else"] = "schema", required = "list", enum = "list", examples = "list"}

























 local inside = {["schemas-by-name"] = "schema", schemas = "schema", ["lists-by-name"] = "list", ["values-by-name"] = "value", list = "value", value = "value"}








 local kinds = {schema = "object", ["schemas-by-name"] = "object", ["lists-by-name"] = "object", ["values-by-name"] = "object", schemas = "array", list = "array"}






 local function refuse(path, why)
 return error((path .. " " .. why), 0) end

 local function place_of(place, key, value)

 local table_3f = (type(value) == "table")
 if (place ~= "schema") then return inside[place] elseif ((key == "items") and table_3f and (nil ~= value[1])) then return "schemas" elseif ((key == "type") and table_3f) then return "list" else



 return (places[key] or "value") end end

 local function kind_of(value, place, path)


 local numbers, strings = nil, nil do local n, s = 0, 0 for key in pairs(value) do
 local _2_ = type(key) if (_2_ == "number") then
 n, s = (n + 1), s elseif (_2_ == "string") then
 n, s = n, (s + 1) else local _ = _2_
 n, s = refuse(path, ("has a key that is a " .. type(key))) end end numbers, strings = n, s end local kind


 local or_4_ = marks["kind-of"](value)
 if not or_4_ then if (0 < numbers) then or_4_ = "array" elseif (0 < strings) then or_4_ = "object" else

 or_4_ = kinds[place] end end kind = or_4_
 if (((kind == "array") and ((0 < strings) or (numbers ~= #value))) or ((kind == "object") and (0 < numbers))) then


 refuse(path, "is neither a list (keys 1 to n) nor has it only names") else end
 return kind end

 local function check_place(value, kind, place, path)

 local wanted = kinds[place]
 if (wanted and (wanted ~= kind) and not ((place == "schema") and (type(value) == "boolean"))) then


 local function _7_() if (wanted == "array") then return "must be a list" elseif (wanted == "object") then return "must be a table with names" else return nil end end return refuse(path, _7_()) else return nil end end



 local function check_scalar(value, path)
 local _9_ = type(value) if (_9_ == "string") then
 if not utf8_text["valid?"](value) then
 return refuse(path, "is not valid UTF-8") else return nil end elseif (_9_ == "number") then
 if ((value ~= value) or (math.abs(value) == math.huge)) then
 return refuse(path, ("is " .. tostring(value) .. ", which JSON has no word for")) else return nil end elseif (_9_ == "boolean") then

 return nil elseif (nil ~= _9_) then local other = _9_
 if not marks["large-integer?"](value) then
 return refuse(path, ("is a " .. other .. ", which cannot be JSON")) else return nil end else return nil end end

 local function step(path, key)

 if (type(key) == "number") then
 return string.format("%s[%d]", path, key) else
 return (path .. "." .. key) end end

 local function copy(value, place, depth, path)

 if (max_depth < depth) then
 return refuse(path, "is nested too deep, or holds itself") elseif marks["null?"](value) then

 check_place(value, "null", place, path) return value elseif (type(value) ~= "table") then

 check_scalar(value, path)
 check_place(value, nil, place, path)
 return value elseif (marks["kind-of"](value) == "raw") then

 return refuse(path, "is raw JSON, which cannot be checked here") else
 local kind = kind_of(value, place, path)
 local out = {}
 check_place(value, kind, place, path)
 for key, member in pairs(value) do
 local down = step(path, key)
 check_scalar(key, down)
 out[key] = copy(member, place_of(place, key, member), (depth + 1), down) end

 if (kind == "array") then
 return marks.array(out) else local and_15_ = true if and_15_ then local _ = kind and_15_ = ((kind == "object") or (nil == next(out))) end if and_15_ then local _ = kind
 return marks.object(out) else local _ = kind
 return out end end end end

 local function prepare(_3fschema, what)




 if (_3fschema == nil) then
 return {type = "object"} else local and_19_ = (nil ~= _3fschema) if and_19_ then local t = _3fschema and_19_ = (type(t) ~= "table") end if and_19_ then local t = _3fschema

 return refuse(what, ("must be a table, not a " .. type(t))) elseif ((_G.type(_3fschema) == "table") and (_3fschema.type == "object")) then
 return copy(_3fschema, "schema", 0, what) elseif ((_G.type(_3fschema) == "table") and true) then local _3fother = _3fschema.type

 return refuse(what, ("must have the type \"object\", since arguments have " .. "names, not " .. tostring(_3fother))) else return nil end end end


 local function prepare_value(value, kind, what)


 local _22_ if (kind == "object") then _22_ = "values-by-name" elseif (kind == "array") then _22_ = "list" else _22_ = nil end return copy(value, _22_, 0, what) end

 return {prepare = prepare, ["prepare-value"] = prepare_value}
