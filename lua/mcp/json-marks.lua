--[[ Generated from fnl/mcp/json-marks.fnl by make lua; do not edit. ]] 



 local array_mark = {__jsontype = "array"}
 local object_mark = {__jsontype = "object"}
 local raw_mark = {__jsontype = "raw"}
 local null local function _1_() return "null" end null = setmetatable({}, {__jsontype = "null", __tostring = _1_})

 local function kind_of(value)

 local _2_ = ((type(value) == "table") and getmetatable(value)) local and_3_ = (nil ~= _2_) if and_3_ then local mark = _2_ and_3_ = (type(mark) == "table") end if and_3_ then local mark = _2_
 return rawget(mark, "__jsontype") else return nil end end

 local function null_3f(value)

 return (kind_of(value) == "null") end

 local function absent_3f(value)

 return ((value == nil) or null_3f(value)) end

 local function object_3f(value)


 local and_6_ = (type(value) == "table")
 if and_6_ then local kind = kind_of(value)
 and_6_ = ((kind == nil) or (kind == "object")) end return and_6_ end

 local function large_integer_3f(value)


 return ((type(value) == "userdata") and (getmetatable(value) == "json.integer")) end

 local function check_markable(value)

 do local kind = kind_of(value)
 if (getmetatable(value) and (kind ~= "array") and (kind ~= "object")) then
 error("cannot mark a table that has a metatable of its own", 3) else end end
 return nil end

 local function array(_3flist)


 local list = (_3flist or {})
 check_markable(list)
 return setmetatable(list, array_mark) end

 local function object(_3ftable)


 local t = (_3ftable or {})
 check_markable(t)
 return setmetatable(t, object_mark) end

 local function raw(text)


 return setmetatable({text}, raw_mark) end

 return {null = null, ["null?"] = null_3f, ["absent?"] = absent_3f, array = array, object = object, ["object?"] = object_3f, raw = raw, ["kind-of"] = kind_of, ["large-integer?"] = large_integer_3f}
