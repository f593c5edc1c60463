--[[ Generated from fnl/mcp/tool-registry.fnl by make lua; do not edit. ]] 



 local json_schema = require("mcp.json-schema")
 local marks = require("mcp.json-marks")
 local options = require("mcp.options")
 local _local_1_ = require("mcp.protocol") local quoted = _local_1_["quoted"]
 local _local_2_ = require("mcp.registry") local create_registry = _local_2_["create-registry"]
 local revisions = require("mcp.revisions")
 local utf8_text = require("mcp.utf8-text") local page_size = 100 local max_name_length = 128







 local later = {later = "it comes with a later version"}

 local fields = {name = true, description = true, handler = true, title = true, ["input-schema"] = true, ["output-schema"] = true, annotations = true, icons = true, meta = true, timeout = options.positive, ["max-bytes"] = later, group = later, task = later}















 local function check_name(name, prefix)
 if ((type(name) ~= "string") or not name:find("^[A-Za-z0-9_.-]+$") or (max_name_length < #name)) then





 local function _3_() if (type(name) == "string") then return quoted(name) else return tostring(name) end end error(string.format("a tool's name has 1 to %d letters, digits, _ . and -; not %s", max_name_length, _3_()), 0) else end

 if (prefix ~= name:sub(1, #prefix)) then
 return error(string.format("the name of the tool %s must begin with the prefix %s", name, prefix), 0) else return nil end end




 local function check_text(text, what)
 if (type(text) ~= "string") then
 error((what .. " must be a string, not a " .. type(text)), 0) else end
 if not text:find("%S") then
 error((what .. " must say something: agents choose by it"), 0) else end
 if not utf8_text["valid?"](text) then
 return error((what .. " is not valid UTF-8"), 0) else return nil end end

 local function title_of(definition)

 local and_9_ = ((_G.type(definition) == "table") and (nil ~= definition.name)) if and_9_ then local name = definition.name and_9_ = (type(name) == "string") end if and_9_ then local name = definition.name
 return ("the tool " .. quoted(name)) else local _ = definition return "a tool" end end


 local function prepare(definition, prefix)

 local tool = options.read(title_of(definition), definition, fields) local named
 local function _12_(what) return ("the " .. what .. " of the tool " .. tool.name) end named = _12_
 check_name(tool.name, prefix)
 check_text(tool.description, named("description"))
 if (tool.title ~= nil) then
 check_text(tool.title, named("title")) else end
 if (type(tool.handler) ~= "function") then
 error((named("handler") .. " must be a function, not a " .. type(tool.handler)), 0) else end



 tool["input-schema"] = json_schema.prepare(tool["input-schema"], named("input schema"))
 if (tool["output-schema"] ~= nil) then

 tool["output-schema"] = json_schema.prepare(tool["output-schema"], named("output schema")) else end
 for field, kind in pairs({annotations = "object", icons = "array", meta = "object"}) do


 if (nil ~= tool[field]) then
 tool[field] = json_schema["prepare-value"](tool[field], kind, named(field)) else end end

 tool["wire-forms"] = {}
 return tool end



 local function wire(tool, version)

 local has_3f local function _17_(feature) return revisions.feature(version, feature) end has_3f = _17_



 local _18_ if has_3f("title") then _18_ = tool.title else _18_ = nil end
 local _20_ if has_3f("output-schema") then _20_ = tool["output-schema"] else _20_ = nil end
 local _22_ if has_3f("annotations") then _22_ = tool.annotations else _22_ = nil end
 local _24_ if has_3f("icons") then _24_ = tool.icons else _24_ = nil end
 local _26_ if has_3f("meta") then _26_ = tool.meta else _26_ = nil end return {name = tool.name, description = tool.description, inputSchema = tool["input-schema"], title = _18_, outputSchema = _20_, annotations = _22_, icons = _24_, _meta = _26_} end

 local function encoded(tool, version, encode)


 if not tool["wire-forms"][version] then
 tool["wire-forms"][version] = marks.raw(assert(encode(wire(tool, version)))) else end

 return tool["wire-forms"][version] end



 local function register(self, definition)










 local tool = prepare(definition, self.prefix) self.registry:add(tool.name, tool)

 return tool.name end

 local function replace(self, definition)



 local tool = prepare(definition, self.prefix) self.registry:replace(tool.name, tool)

 return tool.name end

 local function unregister(self, name) return self.registry:remove(name) end



 local function on_change(self, f) return self.registry["on-change"](self.registry, f) end



 local function get(self, name) return self.registry:get(name) end



 local function count(self) return self.registry:count() end



 local function page(self, _29_) local cursor = _29_["cursor"] local version = _29_["version"] local encode = _29_["encode"] local size = _29_["size"] local _30_, _31_ = self.registry:page(cursor, (size or page_size))








 if ((_30_ == nil) and (nil ~= _31_)) then local message = _31_
 return nil, message elseif ((nil ~= _30_) and true) then local tools = _30_ local _3fnext_cursor = _31_

 local function _32_() local tbl_21_ = {} local i_22_ = 0 for _, tool in ipairs(tools) do
 local val_23_ = encoded(tool, version, encode) if (nil ~= val_23_) then i_22_ = (i_22_ + 1) tbl_21_[i_22_] = val_23_ else end end return tbl_21_ end return marks.array(_32_()), _3fnext_cursor else return nil end end


 local methods = {register = register, replace = replace, unregister = unregister, ["on-change"] = on_change, on_change = on_change, get = get, count = count, page = page}








 local function ToolRegistry(_3foptions)


 local _let_35_ = options.read("ToolRegistry", (_3foptions or {}), {["namespace-prefix"] = "string"}) local namespace_prefix = _let_35_["namespace-prefix"]

 local self = {registry = create_registry(), prefix = (namespace_prefix or "")}
 local tbl_16_ = self for name, method in pairs(methods) do local k_17_, v_18_ = name, method if ((k_17_ ~= nil) and (v_18_ ~= nil)) then tbl_16_[k_17_] = v_18_ else end end return tbl_16_ end


 return {ToolRegistry = ToolRegistry, ["page-size"] = page_size}
