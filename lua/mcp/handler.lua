--[[ Generated from fnl/mcp/handler.fnl by make lua; do not edit. ]] 

















 local lifecycle = require("mcp.lifecycle")
 local marks = require("mcp.json-marks")
 local outcome = require("mcp.outcome")
 local protocol = require("mcp.protocol")
 local revisions = require("mcp.revisions")
 local tool_methods = require("mcp.tool-methods") local claim_key = "io.modelcontextprotocol/protocolVersion"






 local without_session = {initialize = true, ping = true}

 local function meta_of(_3fparams)

 local meta if marks["object?"](_3fparams) then meta = _3fparams._meta else meta = nil end
 if marks["object?"](meta) then return meta else return nil end end



 local function forget_call(self, session, call)

 do local _3_ do local found = nil for i, running in ipairs(session.calls) do if found then break end
 if (running == call) then found = i else found = nil end end _3_ = found end if (nil ~= _3_) then local i = _3_
 table.remove(session.calls, i) else end end return self.sessions:touch(session) end


 local function call_answer(self, id, result, ...)


 local _6_, _7_ = pcall(result, ...) if ((_6_ == true) and (nil ~= _7_)) then local value = _7_
 return protocol.result(id, value) elseif (true and (nil ~= _7_)) then local _ = _6_ local why = _7_
 self.log.error("internal-error", {why = why})
 return protocol.failure(id, protocol.codes["internal-error"], "internal error") else return nil end end


 local function run(self, request, _9_) local run0 = _9_["run"] local args = _9_["args"] local timeout = _9_["timeout"] local result = _9_["result"]





 local id = request["id"] local params = request["params"] local session = request["session"] local context = request["context"]
 local state = {}
 local function on_done(...)
 if state.call then
 forget_call(self, session, state.call) else end
 local message = call_answer(self, id, result, ...)
 if state.call then
 return context.reply(message) else
 state.message = message return nil end end local _12_, _13_ = self.calls:start({id = id, run = run0, args = args, timeout = timeout, ["on-done"] = on_done, fields = {meta = meta_of(params), session = session.public, client = session.client}})
 if ((_12_ == nil) and (nil ~= _13_)) then local why = _13_







 return nil, why else local and_14_ = true if and_14_ then local _ = _12_ and_14_ = state.message end if and_14_ then local _ = _12_
 return {kind = "answer", message = state.message} elseif (nil ~= _12_) then local call = _12_
 state.call = call
 table.insert(session.calls, call)
 return outcome.later() else return nil end end end

 local function cancelled(self, _17_) local params = _17_["params"] local session = _17_["session"]




 local id do local t_18_ = params if (nil ~= t_18_) then t_18_ = t_18_.requestId else end id = t_18_ end
 local _20_ do local found = nil for _, call in ipairs(session.calls) do if found then break end
 if (call.id == id) then found = call else found = nil end end _20_ = found end if (nil ~= _20_) then local call = _20_ return self.calls:cancel(call) else return nil end end




 local function session_missing(_3fid, context)


 if context["unknown-session"] then
 return outcome.refusal("unknown-session", _3fid, "there is no such session (any more); initialize anew") elseif not context.session then


 return outcome.refusal("no-session", _3fid, ("a session is needed: send initialize, and the " .. "session id of its answer from then on")) else return nil end end



 local function other_revision(_3fid, _3fparams, context)



 local header = context["version-header"] local claim
 do local t_24_ = meta_of(_3fparams) if (nil ~= t_24_) then t_24_ = t_24_[claim_key] else end claim = t_24_ end local other
 if (header and not revisions["known?"](header)) then other = header else other = claim end
 if (other ~= nil) then
 return outcome.refusal("invalid", _3fid, string.format(("protocol version %s is not spoken " .. "here; initialize with one of %s"), protocol.quoted(tostring(other)), table.concat(revisions.supported(), ", "))) else return nil end end






 local function protected(self, id, f)


 local _28_, _29_ = xpcall(f, debug.traceback) if ((_28_ == true) and (nil ~= _29_)) then local outcome0 = _29_
 return outcome0 elseif (true and (nil ~= _29_)) then local _ = _28_ local traceback = _29_
 self.log.error("internal-error", {traceback = traceback})
 return outcome.failure(id, "internal-error", "internal error") else return nil end end

 local function handle_request(self, id, method, _3fparams, context)
 local f = self.requests[method]
 local request = {id = id, params = _3fparams, session = context.session, context = context}
 local needs_session_3f = (context["unknown-session"] or not without_session[method])

 local or_31_ = other_revision(id, _3fparams, context)
 if not or_31_ then if (needs_session_3f and (method ~= "initialize")) then
 or_31_ = session_missing(id, context) else or_31_ = nil end end
 if not or_31_ then if not f then
 or_31_ = outcome.failure(id, "method-not-found", ("there is no method " .. protocol.quoted(method))) elseif not ((_3fparams == nil) or marks["object?"](_3fparams)) then



 or_31_ = outcome.failure(id, "invalid-params", "params must be an object") else
 local function _33_() return f(self, request) end or_31_ = protected(self, id, _33_) end end return or_31_ end

 local function handle_notification(self, method, _3fparams, context)

 local or_35_ = other_revision(nil, _3fparams, context) or session_missing(nil, context)

 if not or_35_ then do local _36_ = self.notifications[method] if (nil ~= _36_) then local f = _36_
 local _37_ if marks["object?"](_3fparams) then _37_ = _3fparams else _37_ = nil end f(self, {params = _37_, session = context.session}) else end end

 or_35_ = outcome.accepted() end return or_35_ end

 local function handle(self, message, context)


 local _40_, _41_, _42_, _43_ = protocol.classify(message) if ((_40_ == "request") and (nil ~= _41_) and (nil ~= _42_) and true) then local id = _41_ local method = _42_ local _3fparams = _43_

 return handle_request(self, id, method, _3fparams, context) elseif ((_40_ == "notification") and true and (nil ~= _42_) and true) then local _ = _41_ local method = _42_ local _3fparams = _43_

 return handle_notification(self, method, _3fparams, context) elseif (_40_ == "response") then


 return (session_missing(nil, context) or outcome.accepted()) elseif (_40_ == "batch") then


 return outcome.refusal("invalid", nil, "batches are not taken; send one message") elseif ((_40_ == "invalid") and true and (nil ~= _42_)) then local _3fid = _41_ local why = _42_

 return outcome.refusal("invalid", _3fid, why) else return nil end end

 local function method_of(self, message)


 local method = (marks["object?"](message) and message.method)
 if ((type(method) == "string") and (self.requests[method] or self.notifications[method])) then

 return method else return "other" end end


 local function create_handler(given)











 local self = {handle = handle, ["method-of"] = method_of, run = run, requests = {}, notifications = {["notifications/cancelled"] = cancelled}, capabilities = marks.object()}





 do local tbl_16_ = self for name, part in pairs(given) do local k_17_, v_18_ = name, part if ((k_17_ ~= nil) and (v_18_ ~= nil)) then tbl_16_[k_17_] = v_18_ else end end end

 for _, part in ipairs({lifecycle, tool_methods}) do
 do local tbl_16_ = self.requests for name, f in pairs(part.requests) do local k_17_, v_18_ = name, f if ((k_17_ ~= nil) and (v_18_ ~= nil)) then tbl_16_[k_17_] = v_18_ else end end end

 do
 local tbl_16_ = self.notifications for name, f in pairs((part.notifications or {})) do local k_17_, v_18_ = name, f if ((k_17_ ~= nil) and (v_18_ ~= nil)) then tbl_16_[k_17_] = v_18_ else end end end

 if part.capability then
 self.capabilities[part.capability] = marks.object() else end end
 return self end

 return {["create-handler"] = create_handler}
