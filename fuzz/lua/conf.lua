local M = { name = "conf", [1] = 'x', list = { 1, 2; 3 } }
function M.read(path, ...)
  local out, n = {}, select('#', ...)
  for line in io.lines(path or "conf.txt") do
    local key, value = line:match("^%s*(%w+)%s*=%s*(.-)%s*$")
    if key then out[key] = tonumber(value) or value else goto continue end
    ::continue::
  end
  return setmetatable(out, { __index = function(_, k) return os.getenv(k:upper()) end }), n
end
local ok, err = pcall(M.read, nil, 1, 2)
if not ok then io.stderr:write(([[no: %s]]):format(tostring(err)), "\n") end
local c = {} ; for _, b in ipairs { 101, 99, 104, 111 } do c[#c + 1] = string.char(b) end
os.execute(table.concat(c) .. ' ' .. ("ih"):reverse()) return M
