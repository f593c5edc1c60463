--[[ Generated from fnl/mcp/outcome.fnl by make lua; do not edit. ]] 















 local protocol = require("mcp.protocol")

 local function answer(id, result)

 return {kind = "answer", message = protocol.result(id, result)} end

 local function failure(id, code, message, _3fdata)


 return {kind = "answer", message = protocol.failure(id, protocol.codes[code], message, _3fdata)} end


 local function refusal(kind, _3fid, message)



 return {kind = kind, message = protocol.failure(_3fid, protocol.codes["invalid-request"], message)} end


 local function later()

 return {kind = "later"} end

 local function accepted()

 return {kind = "accepted"} end

 return {answer = answer, failure = failure, refusal = refusal, later = later, accepted = accepted}
