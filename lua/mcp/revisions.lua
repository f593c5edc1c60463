--[[ Generated from fnl/mcp/revisions.fnl by make lua; do not edit. ]] 





 local rows = {{version = "2025-11-25", adds = {icons = true, ["server-description"] = true}}, {version = "2025-06-18", adds = {title = true, meta = true, ["output-schema"] = true, ["structured-content"] = true, ["resource-link"] = true, ["version-header"] = true}, drops = {batches = true}}, {version = "2025-03-26", adds = {annotations = true, audio = true, batches = true, ["progress-message"] = true}}}















 local newest_legacy = rows[1].version

 local function index_of(version)
 local found = nil for i, row in ipairs(rows) do if found then break end
 if (row.version == version) then found = i else found = nil end end return found end

 local function supported()

 local tbl_21_ = {} local i_22_ = 0 for _, row in ipairs(rows) do local val_23_ = row.version if (nil ~= val_23_) then i_22_ = (i_22_ + 1) tbl_21_[i_22_] = val_23_ else end end return tbl_21_ end

 local function known_3f(version)

 return (nil ~= index_of(version)) end

 local function negotiate(requested)


 if known_3f(requested) then return requested else return newest_legacy end end

 local function said(at, name)


 local answer = nil for i, row in ipairs(rows) do if (answer ~= nil) then break end
 if (i < at) then answer = nil else
 local _5_ do local t_4_ = row if (nil ~= t_4_) then t_4_ = t_4_.drops else end if (nil ~= t_4_) then t_4_ = t_4_[name] else end _5_ = t_4_ end if _5_ then answer = false elseif row.adds[name] then answer = true else answer = nil end end end return answer end


 local function feature(version, name)




 local at = (index_of(version) or error(("unknown revision " .. tostring(version))))

 return (said(at, name) or false) end

 return {["newest-legacy"] = newest_legacy, supported = supported, ["known?"] = known_3f, negotiate = negotiate, feature = feature}
