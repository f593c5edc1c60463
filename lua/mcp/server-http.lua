--[[ Generated from fnl/mcp/server-http.fnl by make lua; do not edit. ]] 




 local _local_1_ = require("mcp.call") local create_calls = _local_1_["create-calls"]
 local guard = require("mcp.guard")
 local _local_2_ = require("mcp.handler") local create_handler = _local_2_["create-handler"]
 local http_request = require("mcp.http-request")
 local _local_3_ = require("mcp.log") local create_logger = _local_3_["create-logger"]
 local options = require("mcp.options")
 local _local_4_ = require("mcp.parts") local native_parts = _local_4_["native-parts"]
 local protocol = require("mcp.protocol")
 local _local_5_ = require("mcp.server-options") local read_options = _local_5_["read-options"]
 local _local_6_ = require("mcp.session") local create_store = _local_6_["create-store"]




 local encoding = {invalid_utf8 = "replace"}

 local function count(counts, key)
 counts[key] = (1 + (counts[key] or 0)) return nil end

 local function encoded(self, message)


 local _7_, _8_ = self.json.encode(message, encoding) if ((_7_ == nil) and (nil ~= _8_)) then local why = _8_
 self.log.error("answer-lost", {why = why})
 return self.json.encode(protocol.failure(message.id, protocol.codes["internal-error"], "the answer could not be encoded")) elseif (nil ~= _7_) then local text = _7_


 return text else return nil end end

 local function respond(self, status, _3fmessage, _3fheaders)

 count(self.responses, status)
 local _11_ do local t_10_ = _3fmessage if (nil ~= t_10_) then t_10_ = t_10_.error else end if (nil ~= t_10_) then t_10_ = t_10_.message else end _11_ = t_10_ end self["last-error"] = (_11_ or self["last-error"])
 local headers = (_3fheaders or {})
 if _3fmessage then
 headers["Content-Type"] = "application/json" else end
 local _15_ if _3fmessage then _15_ = encoded(self, _3fmessage) else _15_ = "" end return {status = status, headers = headers, body = _15_} end

 local function refuse(self, status, why, _3fcode)

 return respond(self, status, protocol.failure(nil, protocol.codes[(_3fcode or "invalid-request")], why)) end





 local status_of = {answer = 200, accepted = 202, invalid = 400, ["no-session"] = 400, ["unknown-session"] = 404}





 local function wake_for_calls(self) local _17_ = self.calls["next-due"](self.calls)

 if (nil ~= _17_) then local due = _17_ return self["http-server"]:wake_at(due) else return nil end end


 local function handle_message(self, exchange, message, _3fid)
 count(self.requests, self.handler["method-of"](self.handler, message))
 local session if _3fid then session = self.sessions:find(_3fid) else session = nil end local outcome





 local function _20_(_241) return exchange:reply(respond(self, 200, _241)) end outcome = self.handler:handle(message, {session = session, ["unknown-session"] = ((_3fid ~= nil) and not session), ["version-header"] = http_request.version(exchange), reply = _20_})
 wake_for_calls(self)
 if (outcome.kind ~= "later") then

 local function _21_() if outcome.session then return {["Mcp-Session-Id"] = outcome.session.id} else return nil end end return respond(self, status_of[outcome.kind], outcome.message, _21_()) else return nil end end

 local function on_post(self, exchange)

 local id = http_request["session-id"](exchange)
 if not http_request["json-body?"](exchange) then
 return refuse(self, 415, "the body must be declared as application/json") elseif not http_request["accepts-json?"](exchange) then

 return refuse(self, 406, "only application/json can be sent here") elseif (id == false) then

 return refuse(self, 400, "the request names two sessions") else local _23_, _24_ = exchange:json()
 if ((_23_ == nil) and (nil ~= _24_)) then local why = _24_
 return refuse(self, 400, why, "parse-error") elseif (nil ~= _23_) then local message = _23_
 return handle_message(self, exchange, message, id) else return nil end end end

 local function on_delete(self, exchange)

 count(self.requests, "DELETE")
 local _27_ = http_request["session-id"](exchange) if (_27_ == false) then
 return refuse(self, 400, "the request names two sessions") elseif (_27_ == nil) then
 return refuse(self, 400, "DELETE ends a session: name it by Mcp-Session-Id") elseif (nil ~= _27_) then local id = _27_
 if self.sessions:close(id) then
 return respond(self, 204) else
 return refuse(self, 404, "there is no such session (any more)") end else return nil end end

 local function route(self, f)


 local function _30_(exchange)
 local _31_, _32_ = nil, nil local function _33_() return f(self, exchange) end _31_, _32_ = xpcall(_33_, debug.traceback) if ((_31_ == true) and true) then local _3fresponse = _32_
 return _3fresponse elseif (true and (nil ~= _32_)) then local _ = _31_ local traceback = _32_
 self.log.error("internal-error", {traceback = traceback})
 return refuse(self, 500, "internal error", "internal-error") else return nil end end return _30_ end

 local function run_due_calls(self) self.calls:tick()


 return wake_for_calls(self) end



 local function url_of(self, host, port)
 local host0 if guard["every-address?"](host) then host0 = "localhost" else host0 = host end
 return string.format("http://%s:%d%s", guard.authority(host0), port, self.path) end

 local function prepare(self)


 if not self.prepared then self.prepared = true self["http-server"]:post(self.path, route(self, on_post)) return self["http-server"]:delete(self.path, route(self, on_delete)) else return nil end end




 local function listen(self, host, port)
 local http = self["http-server"] http:guard(guard.rules({host = host, ["allowed-hosts"] = self.options["allowed-hosts"], ["allowed-origins"] = self.options["allowed-origins"], token = self.options.token}))




 prepare(self) local _37_, _38_ = http:listen(host, port)
 if ((_37_ == nil) and (nil ~= _38_)) then local why = _38_
 return nil, why elseif (nil ~= _37_) then local bound = _37_ self.started = true

 self.host, self.port = host, bound
 self.url = url_of(self, host, bound)
 local function _39_() return run_due_calls(self) end self.unhook = http:on_dispatch(_39_)
 self.log.info("started", {url = self.url})
 return bound else return nil end end

 local function start(self, _3fwhere)




 if self.started then
 error("this server was started before; make a new one", 2) else end
 local _let_42_ = options.read("start", (_3fwhere or {}), {host = "string", port = options["whole-number"](0, 65535)}) local host = _let_42_["host"] local port = _let_42_["port"]


 local host0 = (host or "127.0.0.1")
 local _43_, _44_ = guard["check-host"](host0, self.options["allow-non-loopback"], self.options["allowed-hosts"]) if ((_43_ == nil) and (nil ~= _44_)) then local why = _44_

 return nil, why else local _ = _43_
 return listen(self, host0, (port or 0)) end end

 local function stop(self, _3fhow)




 local _let_46_ = options.read("stop", (_3fhow or {}), {drain = options["not-negative"]}) local drain = _let_46_["drain"] self.started = true


 if self.port then
 self.port, self.url = nil
 if (0 == (drain or 0)) then self.calls["cancel-all"](self.calls) else end self["http-server"]:stop({drain = (drain or 0)}) self.calls["cancel-all"](self.calls) self.sessions["close-all"](self.sessions)




 self.unhook()
 self.log.info("stopped", {host = self.host}) else end
 return nil end

 local function copy(t) local tbl_16_ = {}
 for k, v in pairs(t) do local k_17_, v_18_ = k, v if ((k_17_ ~= nil) and (v_18_ ~= nil)) then tbl_16_[k_17_] = v_18_ else end end return tbl_16_ end

 local function status(self)









 return options["both-cases"]({running = (self.port ~= nil), host = self.host, port = self.port, url = self.url, path = self.path, sessions = self.sessions:count(), calls = self.calls.size, tools = self.tools:count(), prefix = self.tools.prefix, requests = copy(self.requests), responses = copy(self.responses), ["last-error"] = self["last-error"], http = self["http-server"]:status()}) end













 local function create_server(given, _50_) local json = _50_["json"] local uuid = _50_["uuid"]


 local options0 = read_options(given)
 local tools = options0["tools"] local http = options0["http-server"] local now
 local function _51_() return http:now() end now = _51_
 local log = create_logger(options0.logger)
 local calls = create_calls({now = now, cap = options0["max-calls"]}) local end_calls
 local function _52_(session)
 for _, call in ipairs(copy(session.calls)) do calls:cancel(call) end return nil end end_calls = _52_

 local sessions = create_store({uuid = uuid, now = now, ttl = options0["session-ttl"], cap = options0["max-sessions"], ["on-close"] = end_calls}) local handler









 local function _53_(_241) return json.encode(_241, encoding) end handler = create_handler({sessions = sessions, calls = calls, tools = tools, log = log, encode = _53_, info = {name = options0.name, version = options0.version}, instructions = options0.instructions, ["page-size"] = options0["page-size"], ["expose-tracebacks"] = options0["expose-tracebacks"]})




 return {options = options0, ["http-server"] = http, path = options0.path, tools = tools, log = log, json = json, calls = calls, sessions = sessions, handler = handler, requests = {}, responses = {}, start = start, stop = stop, status = status} end














 local function MCPHTTPServer(given)
















 return create_server(given, native_parts()) end

 return {MCPHTTPServer = MCPHTTPServer, ["create-server"] = create_server}
