--[[ Generated from fnl/mcp/native.fnl by make lua; do not edit. ]] 



 local version = require("mcp.version")

 local vms = {["Lua 5.1"] = {name = "lua51", make = "lua5.1"}, ["Lua 5.4"] = {name = "lua54", make = "lua5.4"}}


 local vm if rawget(_G, "jit") then vm = {name = "luajit", make = "luajit"} else
 vm = vms[_VERSION] end

 local function here()

 local _let_2_ = debug.getinfo(1, "S") local source = _let_2_["source"]
 return (source:match("^@(.*[/\\])") or "") end

 local function candidates()



 local build = ("build/" .. vm.name .. "/moonport_core.so")
 local paths = {(here() .. "moonport_core.so"), (here() .. "../../" .. build), build}
 for pattern in package.cpath:gmatch("[^;]+") do
 if pattern:find("?", 1, true) then local path = pattern:gsub("%?", "moonport_core")

 table.insert(paths, path) else end end
 return paths end

 local function checked(_3flibrary)

 local theirs local _5_ do local t_4_ = _3flibrary if (nil ~= t_4_) then t_4_ = t_4_.version else end _5_ = t_4_ end theirs = (_5_ or {})
 if (theirs.vm ~= vm.name) then
 return nil, ("it is built for " .. tostring(theirs.vm)) elseif (theirs.moonport ~= version) then

 return nil, ("it is version " .. tostring(theirs.moonport) .. ", not " .. version) else

 return _3flibrary end end

 local function load_from(path)

 local _8_, _9_ = package.loadlib(path, "luaopen_moonport_core") if ((_8_ == nil) and (nil ~= _9_)) then local why = _9_
 return nil, (why:gsub("^.-: ", "")) elseif (nil ~= _8_) then local open = _8_
 local _10_, _11_ = pcall(open) if ((_10_ == true) and (nil ~= _11_)) then local library = _11_
 return checked(library) elseif (true and (nil ~= _11_)) then local _ = _10_ local why = _11_
 return nil, tostring(why) else return nil end else return nil end end

 local function find()
 if not vm then
 error(("moonport has no library for " .. _VERSION .. "; it runs on LuaJIT, " .. "Lua 5.1 and Lua 5.4"), 0) else end


 local tried = {}
 local _15_ do local library = nil for _, path in ipairs(candidates()) do if library then break end
 local _16_, _17_ = load_from(path) if ((_16_ == nil) and (nil ~= _17_)) then local why = _17_
 table.insert(tried, ("  " .. path .. ": " .. why))
 library = nil elseif (nil ~= _16_) then local found = _16_
 library = found else library = nil end end _15_ = library end return (_15_ or error(string.format(("moonport's native library for %s was not found. Tried:\n" .. "%s\nTo build it, in moonport's folder: make build LUA=%s"), vm.name, table.concat(tried, "\n"), vm.make), 0)) end








 local library = (checked(package.loaded.moonport_core) or find())
 package.loaded.moonport_core = library
 return library
