--[[ Generated from fnl/mcp/init.fnl by make lua; do not edit. ]] 


 local marks = require("mcp.json-marks")
 local options = require("mcp.options")



 local function check_string(value, what)
 if (type(value) ~= "string") then
 error((what .. " must be a string, not a " .. type(value)), 3) else end
 return value end

 local function base64(bytes, what)
 local _let_2_ = require("mcp.native") local crypto = _let_2_["crypto"]
 return crypto.base64(check_string(bytes, what)) end

 local function text(text0)

 return {type = "text", text = check_string(text0, "the text")} end

 local function image(bytes, mime_type)

 return {type = "image", data = base64(bytes, "an image's bytes"), mimeType = check_string(mime_type, "an image's type")} end



 local function audio(bytes, mime_type)

 return {type = "audio", data = base64(bytes, "a sound's bytes"), mimeType = check_string(mime_type, "a sound's type")} end



 local function resource(uri, contents)


 local _let_3_ = options.read("mcp.resource", contents, {text = "string", bytes = "string", ["mime-type"] = "string"}) local text0 = _let_3_["text"] local bytes = _let_3_["bytes"] local mime_type = _let_3_["mime-type"]



 if ((text0 == nil) == (bytes == nil)) then
 error("mcp.resource needs :text or :bytes, one of them", 2) else end



 local _5_ if bytes then _5_ = base64(bytes) else _5_ = nil end return {type = "resource", resource = {uri = check_string(uri, "a resource's URI"), text = text0, blob = _5_, mimeType = mime_type}} end


 local function resource_link(uri, name, _3fmore)

 local _let_7_ = options.read("mcp.resource-link", (_3fmore or {}), {title = "string", description = "string", ["mime-type"] = "string"}) local title = _let_7_["title"] local description = _let_7_["description"] local mime_type = _let_7_["mime-type"]





 return {type = "resource_link", uri = check_string(uri, "a link's URI"), name = check_string(name, "a link's name"), title = title, description = description, mimeType = mime_type} end local servers_key = "mcp.servers"











 local function running_servers()
 if not package.loaded[servers_key] then
 package.loaded[servers_key] = {} else end
 return package.loaded[servers_key] end

 local function registry_of(tools)

 if tools.register then
 return tools else
 local _let_9_ = require("mcp.tool-registry") local ToolRegistry = _let_9_["ToolRegistry"]
 local registry = ToolRegistry()
 for _, definition in ipairs(tools) do registry:register(definition) end

 return registry end end

 local function serve(given)









 local _let_11_ = require("mcp.native") local http_server = _let_11_["http_server"]
 local _let_12_ = require("mcp.server-http") local MCPHTTPServer = _let_12_["MCPHTTPServer"] local all
 do local tbl_16_ = {} for key, value in pairs(given) do local k_17_, v_18_ = key, value if ((k_17_ ~= nil) and (v_18_ ~= nil)) then tbl_16_[k_17_] = v_18_ else end end all = tbl_16_ end
 local where = {host = all.host, port = all.port}
 local name = (all.name or "moonport")
 local servers = running_servers()
 all.host, all.port = nil
 all.tools = registry_of((all.tools or {}))
 all["http-server"] = http_server.new({})
 local server = MCPHTTPServer(all)
 do local _14_ = servers[name] if (nil ~= _14_) then local predecessor = _14_ predecessor:stop() else end end

 servers[name] = nil
 do local _16_, _17_ = server:start(where) if ((_16_ == nil) and (nil ~= _17_)) then local why = _17_
 error(why, 2) else end end
 servers[name] = server
 return server end

 local function dispatch(_3flimits)



 local _let_19_ = require("mcp.native") local http_server = _let_19_["http_server"]
 return http_server.dispatch(_3flimits) end

 local function run_loop(_3foptions)

 local _let_20_ = require("mcp.run-loop") local run_loop0 = _let_20_["run-loop"]
 return run_loop0(_3foptions) end

 return options["both-cases"]({text = text, image = image, audio = audio, resource = resource, ["resource-link"] = resource_link, array = marks.array, object = marks.object, null = marks.null, serve = serve, dispatch = dispatch, ["run-loop"] = run_loop})
