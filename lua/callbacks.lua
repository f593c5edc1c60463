--[[ Generated from fnl/callbacks.fnl by make lua; do not edit. ]] 


 return require("mcp.run-loop")
