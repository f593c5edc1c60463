--[[ Generated from fnl/mcp/options.fnl by make lua; do not edit. ]] 


 local function snake__3ekebab(name)
 return (name:gsub("_", "-")) end

 local function kebab__3esnake(name)

 return (name:gsub("%-", "_"):gsub("%?$", "")) end



 local function distance(a, b)

 local row do local tbl_21_ = {} local i_22_ = 0 for j = 0, #b do local val_23_ = j if (nil ~= val_23_) then i_22_ = (i_22_ + 1) tbl_21_[i_22_] = val_23_ else end end row = tbl_21_ end
 for i = 1, #a do
 local next_row = {i}
 for j = 1, #b do
 local same_3f = (a:byte(i) == b:byte(j))


 local _2_ if same_3f then _2_ = 0 else _2_ = 1 end next_row[(j + 1)] = math.min((row[(j + 1)] + 1), (next_row[j] + 1), (row[j] + _2_)) end
 row = next_row end
 return row[(#b + 1)] end local slip = 2




 local function closest(name, known)


 local names do local tbl_21_ = {} local i_22_ = 0 for candidate in pairs(known) do local val_23_ = candidate if (nil ~= val_23_) then i_22_ = (i_22_ + 1) tbl_21_[i_22_] = val_23_ else end end names = tbl_21_ end
 table.sort(names)
 local best, least = nil, (slip + 1)
 for _, candidate in ipairs(names) do
 local d = distance(name, candidate)
 if (d < least) then
 best, least = candidate, d else end end
 return best end



 local function shown(value)


 local _6_ = type(value) if ((_6_ == "number") or (_6_ == "boolean")) then
 return tostring(value) elseif (nil ~= _6_) then local other = _6_
 return ("a " .. other) else return nil end end

 local function check(what, name, value, wanted)

 local ok_3f, should_be = nil, nil do local _8_ = type(wanted) if (_8_ == "string") then
 ok_3f, should_be = (type(value) == wanted), ("a " .. wanted) elseif (_8_ == "function") then

 ok_3f, should_be = wanted(value) else local _ = _8_ ok_3f, should_be = true end end

 if not ok_3f then
 return error(string.format("the option :%s of %s must be %s, not %s", name, what, should_be, shown(value)), 0) else return nil end end



 local function check_known(what, name, known)

 local _11_ = known[name] if ((_G.type(_11_) == "table") and (nil ~= _11_.later)) then local later = _11_.later
 return error(string.format("%s has no :%s yet; %s", what, name, later), 0) elseif (_11_ == nil) then
 local meant = closest(name, known)

 local _12_ if meant then _12_ = (" (did you mean :" .. meant .. "?)") else _12_ = "" end return error((what .. " has no option :" .. name .. _12_), 0) else return nil end end


 local function read(what, given, known)









 if (type(given) ~= "table") then
 error((what .. " takes a table of options, not a " .. type(given)), 0) else end
 local found = {}
 for key, value in pairs(given) do
 if (type(key) ~= "string") then
 error((what .. " takes options by name; one is under " .. tostring(key)), 0) else end

 local name = snake__3ekebab(key)
 check_known(what, name, known)
 check(what, name, value, known[name])
 if (nil ~= found[name]) then
 error((what .. " was given :" .. name .. " twice"), 0) else end
 found[name] = value end
 return found end



 local function whole_number(low, high)

 local function _18_(value)
 return ((type(value) == "number") and (0 == (value % 1)) and ((low <= value) and (value <= high))), string.format("a whole number from %.0f to %.0f", low, high) end return _18_ end



 local function positive(value)

 return ((type(value) == "number") and (0 < value)), "a number above 0" end

 local function not_negative(value)

 return ((type(value) == "number") and (0 <= value)), "a number from 0" end

 local function strings(value)

 local and_19_ = (type(value) == "table")
 if and_19_ then local ok_3f = true for _, item in pairs(value) do if not ok_3f then break end
 ok_3f = (type(item) == "string") end and_19_ = ok_3f end return and_19_, "a list of strings" end




 local function both_cases(t)


 local twins = {}
 for key, value in pairs(t) do
 if (type(key) == "string") then
 local twin = kebab__3esnake(key)
 if (nil == t[twin]) then
 twins[twin] = value else end else end end
 for key, value in pairs(twins) do
 t[key] = value end
 return t end

 return {read = read, ["both-cases"] = both_cases, ["whole-number"] = whole_number, positive = positive, ["not-negative"] = not_negative, strings = strings}
