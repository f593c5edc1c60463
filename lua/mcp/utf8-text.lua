--[[ Generated from fnl/mcp/utf8-text.fnl by make lua; do not edit. ]] 


 local function width(lead, second)


 local second_3f local function _1_(low, high) return ((low <= second) and (second <= high)) end second_3f = _1_
 if (lead < 128) then return 1 elseif ((194 <= lead) and (lead <= 223)) then
 if second_3f(128, 191) then return 2 else return nil end elseif (lead == 224) then
 if second_3f(160, 191) then return 3 else return nil end elseif (lead == 237) then
 if second_3f(128, 159) then return 3 else return nil end elseif ((225 <= lead) and (lead <= 239)) then
 if second_3f(128, 191) then return 3 else return nil end elseif (lead == 240) then
 if second_3f(144, 191) then return 4 else return nil end elseif ((241 <= lead) and (lead <= 243)) then
 if second_3f(128, 191) then return 4 else return nil end elseif (lead == 244) then
 if second_3f(128, 143) then return 4 else return nil end else return nil end end

 local function character_end(text, at)

 local size = width(text:byte(at), (text:byte((at + 1)) or 0))
 local and_10_ = size
 if and_10_ then local ok_3f = true for i = (at + 2), (at + size + -1) do
 local and_11_ = ok_3f if and_11_ then local _12_ = (text:byte(i) or 0) and_11_ = ((128 <= _12_) and (_12_ <= 191)) end ok_3f = and_11_ end and_10_ = ok_3f end if and_10_ then
 return (at + size + -1) else return nil end end

 local function valid_3f(text)

 local at if text:find("[\128-\255]") then at = 1 else at = (#text + 1) end
 while (at and (at <= #text)) do
 local _15_ = character_end(text, at) if (nil ~= _15_) then local last = _15_
 at = (last + 1) else local _ = _15_
 at = nil end end
 return (at ~= nil) end

 return {["valid?"] = valid_3f}
