--[[ Generated from fnl/mcp/guard.fnl by make lua; do not edit. ]]  local min_token_length = 16






 local loopback_names = {"localhost", "127.0.0.1", "[::1]"}

 local function loopback_3f(host)

 return ((host:lower() == "localhost") or (host == "::1") or (host == "[::1]") or (nil ~= host:match("^127%.%d+%.%d+%.%d+$"))) end


 local function every_address_3f(host)

 return ((host == "0.0.0.0") or (nil ~= host:match("^%[?[0:]*:[0:]*%]?$"))) end

 local function check_host(host, _3fallow_non_loopback, _3fallowed_hosts)




 if loopback_3f(host) then return true elseif not _3fallow_non_loopback then

 return nil, string.format(("%s can be reached from other machines; set " .. ":allow-non-loopback true if that is meant " .. "(a token alone does not)"), host) elseif (every_address_3f(host) and not _3fallowed_hosts) then





 return nil, string.format(("a server on %s needs :allowed-hosts, the " .. "names and addresses that clients use for it"), host) else return true end end





 local function check_token(token)

 if (not token:find("^[!-~]+$") or (#token < min_token_length)) then

 return error(string.format(("the option :token must have at least %d visible " .. "ASCII characters and no blanks; crypto.random " .. "makes good ones"), min_token_length), 0) else return nil end end





 local function authority(host)

 if (host:find(":", 1, true) and (host:sub(1, 1) ~= "[")) then
 return ("[" .. host .. "]") else
 return host end end

 local function default_hosts(host)

 local hosts do local tbl_21_ = {} local i_22_ = 0 for _, name in ipairs(loopback_names) do local val_23_ = name if (nil ~= val_23_) then i_22_ = (i_22_ + 1) tbl_21_[i_22_] = val_23_ else end end hosts = tbl_21_ end
 if not loopback_3f(host) then
 table.insert(hosts, authority(host)) else end
 return hosts end

 local function default_origins()

 local origins = {}
 for _, scheme in ipairs({"http", "https"}) do
 for _0, name in ipairs(loopback_names) do
 table.insert(origins, (scheme .. "://" .. name .. ":*")) end end
 return origins end

 local function rules(_6_) local host = _6_["host"] local allowed_hosts = _6_["allowed-hosts"] local allowed_origins = _6_["allowed-origins"] local token = _6_["token"]


 return {hosts = (allowed_hosts or default_hosts(host)), origins = (allowed_origins or default_origins()), token = token, expose_headers = {"Mcp-Session-Id", "MCP-Protocol-Version", "WWW-Authenticate"}} end






 return {["check-host"] = check_host, ["check-token"] = check_token, rules = rules, authority = authority, ["every-address?"] = every_address_3f}
