--[[ Generated from fnl/mcp/registry.fnl by make lua; do not edit. ]] 



 local function tell(self)


 local failure = nil

 local function _1_() local tbl_21_ = {} local i_22_ = 0 for _, l in ipairs(self.listeners) do local val_23_ = l if (nil ~= val_23_) then i_22_ = (i_22_ + 1) tbl_21_[i_22_] = val_23_ else end end return tbl_21_ end for _, listener in ipairs(_1_()) do
 local _3_, _4_ = pcall(listener.f) if ((_3_ == false) and (nil ~= _4_)) then local err = _4_
 failure = (failure or {err = err}) else end end
 if failure then
 return error(failure.err, 0) else return nil end end

 local function position(list, wanted)
 local found = nil for i, item in ipairs(list) do if found then break end
 if (item == wanted) then found = i else found = nil end end return found end

 local function add(self, key, value)

 if self["by-key"][key] then
 error((key .. " is registered already"), 0) else end
 self.serial = (self.serial + 1)
 do local entry = {value = value, serial = self.serial}
 table.insert(self.entries, entry)
 self["by-key"][key] = entry end
 return tell(self) end

 local function replace(self, key, value)

 do local entry = (self["by-key"][key] or error((key .. " is not registered"), 0))
 entry.value = value end
 return tell(self) end

 local function remove(self, key)

 local entry = self["by-key"][key]
 if entry then
 table.remove(self.entries, position(self.entries, entry))
 self["by-key"][key] = nil
 tell(self) else end
 return (entry ~= nil) end

 local function get(self, key)

 local t_10_ = self["by-key"] if (nil ~= t_10_) then t_10_ = t_10_[key] else end if (nil ~= t_10_) then t_10_ = t_10_.value else end return t_10_ end

 local function count(self)

 return #self.entries end

 local function on_change(self, f)

 local listener = {f = f}
 table.insert(self.listeners, listener)
 local function _13_()
 do local _14_ = position(self.listeners, listener) if (nil ~= _14_) then local i = _14_
 table.remove(self.listeners, i) else end end
 return nil end return _13_ end





 local function cursor_of(serial)
 return string.format("%x.%x", serial, (((serial * 7919) + 104729) % 99991)) end

 local function read_cursor(self, cursor)

 local digits if (type(cursor) == "string") then digits = cursor:match("^(%x+)%.") else digits = nil end
 local serial = (digits and (#digits <= 12) and tonumber(digits, 16))
 if (serial and (serial <= self.serial) and (cursor == cursor_of(serial))) then
 return serial else return nil end end

 local function page(self, _3fcursor, size)



 local after if (_3fcursor == nil) then after = 0 else after = read_cursor(self, _3fcursor) end
 if not after then
 return nil, "the cursor is none that this server has given" else
 local found do local tbl_21_ = {} local i_22_ = 0 for _, entry in ipairs(self.entries) do local val_23_
 if (after < entry.serial) then val_23_ = entry else val_23_ = nil end if (nil ~= val_23_) then i_22_ = (i_22_ + 1) tbl_21_[i_22_] = val_23_ else end end found = tbl_21_ end local next_cursor
 if (size < #found) then
 next_cursor = cursor_of(found[size].serial) else next_cursor = nil end
 local _22_ do local tbl_21_ = {} local i_22_ = 0 for i, entry in ipairs(found) do if (size < i) then break end
 local val_23_ = entry.value if (nil ~= val_23_) then i_22_ = (i_22_ + 1) tbl_21_[i_22_] = val_23_ else end end _22_ = tbl_21_ end return _22_, next_cursor end end


 local function create_registry()

 return {entries = {}, ["by-key"] = {}, listeners = {}, serial = 0, add = add, replace = replace, remove = remove, get = get, count = count, ["on-change"] = on_change, page = page} end











 return {["create-registry"] = create_registry}
