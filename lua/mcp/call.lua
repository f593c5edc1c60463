--[[ Generated from fnl/mcp/call.fnl by make lua; do not edit. ]] 



 local options = require("mcp.options") local shortest_frame = 0.001








 local wait_mark = {}



 local function finish(self, call, kind, _3fa, _3fb)

 if not call.ended then
 call.ended = kind
 self.waiting[call] = nil
 self.running[call] = nil
 self.size = (self.size - 1)

 if (coroutine.close and ("suspended" == coroutine.status(call.thread))) then
 coroutine.close(call.thread) else end
 return call["on-done"](kind, _3fa, _3fb) else return nil end end

 local function park(self, call, seconds)

 local due = (self.now() + seconds)
 call.due = math.min(due, (call.deadline or due))
 self.serial = (self.serial + 1)
 call.place = self.serial
 self.waiting[call] = true return nil end

 local function step(self, call, ...)

 local thread = call.thread
 local ok_3f, first, second = coroutine.resume(thread, ...)
 if not ok_3f then
 return finish(self, call, "raised", first, debug.traceback(thread)) elseif ("dead" == coroutine.status(thread)) then

 return finish(self, call, "returned", first, second) elseif call.ended then

 return nil elseif (first == wait_mark) then

 return park(self, call, second) else
 return finish(self, call, "raised", ("the handler yielded by itself; ctx.sleep and " .. "ctx.next-frame are the ways to wait"), debug.traceback(thread)) end end






 local plain_5_1_3f = ((_VERSION == "Lua 5.1") and not rawget(_G, "jit"))

 local function c_function_above_3f()


 local found, level = false, 3
 local info = debug.getinfo(level, "S")
 while (info and not found) do
 found = (info.what == "C")
 level = (level + 1)
 info = debug.getinfo(level, "S") end
 return found end




 local function check_can_wait(call)

 if (call.thread ~= coroutine.running()) then
 error(("a handler can only wait in its own coroutine, while it is " .. "running"), 3) else end


 if (plain_5_1_3f and c_function_above_3f()) then
 error(("plain Lua 5.1 cannot wait inside pcall or another C function; " .. "wait outside, or use LuaJIT or Lua 5.4"), 3) else end


 return nil end

 local function check_seconds(seconds)
 if not ((type(seconds) == "number") and (0 <= seconds) and (seconds < math.huge)) then

 error(("ctx.sleep takes a number of seconds, not " .. tostring(seconds)), 3) else end

 return nil end

 local function create_context(call, fields)









 local ctx local function _7_(seconds)
 check_can_wait(call)
 check_seconds(seconds)
 coroutine.yield(wait_mark, seconds)
 return nil end
 local function _8_()
 check_can_wait(call)
 coroutine.yield(wait_mark, shortest_frame)
 return nil end
 local function _9_() return (call.ended == "cancelled") end
 local function _10_(f) table.insert(call["on-cancel"], f) return nil end ctx = {sleep = _7_, ["next-frame"] = _8_, ["cancelled?"] = _9_, ["on-cancel"] = _10_}
 for name, value in pairs(fields) do
 ctx[name] = value end
 return options["both-cases"](ctx) end



 local function start(self, _11_) local id = _11_["id"] local run = _11_["run"] local args = _11_["args"] local timeout = _11_["timeout"] local fields = _11_["fields"] local on_done = _11_["on-done"]















 if (self.cap <= self.size) then
 return nil, string.format("%d calls are running already, the most there may be; %s", self.size, "try again later") else


 local call



 local _12_ if timeout then _12_ = (self.now() + timeout) else _12_ = nil end call = {id = id, thread = coroutine.create(run), ["on-done"] = on_done, ["on-cancel"] = {}, deadline = _12_}
 self.running[call] = true
 self.size = (self.size + 1)
 step(self, call, args, create_context(call, fields))
 return call end end

 local function cancel(self, call)



 if not call.ended then
 finish(self, call, "cancelled")
 for _, f in ipairs(call["on-cancel"]) do
 pcall(f) end return nil else return nil end end

 local function cancel_all(self)

 local function _16_() local tbl_21_ = {} local i_22_ = 0 for call in pairs(self.running) do local val_23_ = call if (nil ~= val_23_) then i_22_ = (i_22_ + 1) tbl_21_[i_22_] = val_23_ else end end return tbl_21_ end for _, call in ipairs(_16_()) do
 cancel(self, call) end return nil end

 local function due_calls(self, now)

 local due do local tbl_21_ = {} local i_22_ = 0 for call in pairs(self.waiting) do local val_23_
 if (call.due <= now) then val_23_ = call else val_23_ = nil end if (nil ~= val_23_) then i_22_ = (i_22_ + 1) tbl_21_[i_22_] = val_23_ else end end due = tbl_21_ end
 local function _20_(_241, _242) return (_241.place < _242.place) end table.sort(due, _20_)
 return due end

 local function tick(self)


 local now = self.now()
 for _, call in ipairs(due_calls(self, now)) do

 if self.waiting[call] then
 self.waiting[call] = nil
 if (call.deadline and (call.deadline <= now)) then
 finish(self, call, "timed-out") else
 step(self, call) end else end end return nil end

 local function next_due(self)

 local soonest = nil for call in pairs(self.waiting) do
 soonest = math.min(call.due, (soonest or call.due)) end return soonest end

 local function create_calls(_23_) local now = _23_["now"] local cap = _23_["cap"]


 return {now = now, cap = cap, size = 0, serial = 0, running = {}, waiting = {}, start = start, cancel = cancel, ["cancel-all"] = cancel_all, tick = tick, ["next-due"] = next_due} end











 return {["create-calls"] = create_calls}
