--[[ Generated from fnl/mcp/session.fnl by make lua; do not edit. ]] 




 local options = require("mcp.options")

 local function forget(self, session)
 self["by-id"][session.id] = nil
 self.size = (self.size - 1)
 return self["on-close"](session) end

 local function busy_3f(session)
 return (nil ~= session.calls[1]) end

 local function expired_3f(self, session, now)

 return (not busy_3f(session) and (self.ttl <= (now - session.seen))) end

 local function before_3f(a, b)


 if (busy_3f(a) == busy_3f(b)) then return (a.seen < b.seen) else return busy_3f(b) end end

 local function least_needed(self)


 local least = nil for _, session in pairs(self["by-id"]) do
 if (least and not before_3f(session, least)) then least = least else least = session end end return least end

 local function prune(self)

 local now = self.now() local over
 do local tbl_21_ = {} local i_22_ = 0 for _, session in pairs(self["by-id"]) do local val_23_
 if expired_3f(self, session, now) then val_23_ = session else val_23_ = nil end if (nil ~= val_23_) then i_22_ = (i_22_ + 1) tbl_21_[i_22_] = val_23_ else end end over = tbl_21_ end
 for _, session in ipairs(over) do
 forget(self, session) end
 return #over end

 local function open(self, _5_) local version = _5_["version"] local client = _5_["client"] local capabilities = _5_["capabilities"]



 if (self.cap <= self.size) then
 prune(self) else end
 if (self.cap <= self.size) then
 forget(self, least_needed(self)) else end
 local now = self.now()
 local id = self.uuid()
 local session = {id = id, version = version, client = client, capabilities = capabilities, created = now, seen = now, calls = {}, public = options["both-cases"]({id = id, version = version, client = client})}








 self["by-id"][id] = session
 self.size = (self.size + 1)
 return session end

 local function touch(self, session)

 session.seen = self.now() return nil end

 local function find(self, id)


 local session = self["by-id"][id]
 local now = self.now()
 if not session then return nil elseif expired_3f(self, session, now) then
 forget(self, session) return nil else
 touch(self, session)
 return session end end

 local function close(self, id)

 local session = find(self, id)
 if session then
 forget(self, session) else end
 return (session ~= nil) end

 local function close_all(self)

 local function _10_() local tbl_21_ = {} local i_22_ = 0 for _, s in pairs(self["by-id"]) do local val_23_ = s if (nil ~= val_23_) then i_22_ = (i_22_ + 1) tbl_21_[i_22_] = val_23_ else end end return tbl_21_ end for _, session in ipairs(_10_()) do
 forget(self, session) end return nil end

 local function count(self)

 prune(self)
 return self.size end

 local function create_store(_12_) local uuid = _12_["uuid"] local now = _12_["now"] local ttl = _12_["ttl"] local cap = _12_["cap"] local _3fon_close = _12_["on-close"]











 local or_13_ = _3fon_close if not or_13_ then local function _14_() return nil end or_13_ = _14_ end return {uuid = uuid, now = now, ttl = ttl, cap = cap, ["on-close"] = or_13_, ["by-id"] = {}, size = 0, open = open, find = find, touch = touch, close = close, ["close-all"] = close_all, count = count, prune = prune} end










 return {["create-store"] = create_store}
