--[[ Generated from fnl/mcp/parts.fnl by make lua; do not edit. ]] 



 local function native_parts()

 local _let_1_ = require("mcp.native") local json = _let_1_["json"] local uuid = _let_1_["uuid"]
 return {json = json, uuid = uuid.v4} end

 return {["native-parts"] = native_parts}
