-- Says which of the given Lua files this VM cannot parse. Fennel compiles some forms to what only a newer VM knows.
local wrong = 0
for _, file in ipairs(arg) do
  local code, message = loadfile(file)
  if not code then
    io.stderr:write(_VERSION, ": ", message, "\n")
    wrong = 1
  end
end
os.exit(wrong)
