--[[ Generated from fnl/mcp/log.fnl by make lua; do not edit. ]]  local max_value_length = 200






 local secret = {token = true, authorization = true, query = true, arguments = true}

 local function printable(value)

 local text = tostring(value) local short
 if (max_value_length < #text) then
 short = (text:sub(1, max_value_length) .. "...") else
 short = text end
 local function _2_(_241) return string.format("\\%d", _241:byte()) end return (short:gsub("%c", _2_)) end

 local function line(_3_) local level = _3_["level"] local event = _3_["event"] local fields = _3_["fields"]


 local names do local tbl_21_ = {} local i_22_ = 0 for name in pairs(fields) do local val_23_
 if (name ~= "traceback") then val_23_ = name else val_23_ = nil end if (nil ~= val_23_) then i_22_ = (i_22_ + 1) tbl_21_[i_22_] = val_23_ else end end names = tbl_21_ end
 table.sort(names)
 local parts do local tbl_21_ = {} local i_22_ = 0 for _, name in ipairs(names) do
 local val_23_ = (" " .. name .. "=" .. printable(fields[name])) if (nil ~= val_23_) then i_22_ = (i_22_ + 1) tbl_21_[i_22_] = val_23_ else end end parts = tbl_21_ end

 local _7_ if fields.traceback then _7_ = (fields.traceback .. "\n") else _7_ = "" end return ("mcp: " .. level .. ": " .. event .. table.concat(parts) .. "\n" .. _7_) end

 local function to_stderr(record)

 if ((record.level == "warn") or (record.level == "error")) then return io.stderr:write(line(record)) else return nil end end


 local function public(fields) local tbl_16_ = {}
 for name, value in pairs(fields) do local k_17_, v_18_ = nil, nil
 if not secret[name] then
 k_17_, v_18_ = name, value else k_17_, v_18_ = nil end if ((k_17_ ~= nil) and (v_18_ ~= nil)) then tbl_16_[k_17_] = v_18_ else end end return tbl_16_ end

 local function create_logger(_3fsink)




 local sink if (_3fsink == nil) then sink = to_stderr else sink = _3fsink end local tbl_16_ = {}
 for _, level in ipairs({"debug", "info", "warn", "error"}) do local k_17_, v_18_ = nil, nil

 local function _13_(event, _3ffields)
 if sink then
 local fields = public((_3ffields or {}))
 pcall(sink, {level = level, event = event, fields = fields}) else end
 return nil end k_17_, v_18_ = level, _13_ if ((k_17_ ~= nil) and (v_18_ ~= nil)) then tbl_16_[k_17_] = v_18_ else end end return tbl_16_ end

 return {["create-logger"] = create_logger, line = line}
