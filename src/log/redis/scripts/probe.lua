-- Writes a key that lives for a second, and tries the commands of the other scripts so that they write nothing.
-- Each ARGV is a command and what follows its key, one a line. Returns the names of the commands that are refused.
local probed = KEYS[1] .. ':probe'

local function isRefused(answer)
  local problem = type(answer) == 'table' and answer.err or ''
  for _, reason in ipairs({ 'NOPERM', 'ACL failure', "can't run this command", 'Unknown Redis command' }) do
    if string.find(problem, reason, 1, true) then
      return true
    end
  end
  return false
end

-- First: after another command that could write, Redis lets a script go on although its memory is full.
local written = redis.pcall('SET', probed, '1', 'PX', 1000)
if type(written) == 'table' and written.err and not isRefused(written) then
  return written
end
local missing = {}
for _, line in ipairs(ARGV) do
  local words = {}
  for word in string.gmatch(line, '[^\n]+') do
    words[#words + 1] = word
  end
  if words[1] ~= 'TIME' then
    table.insert(words, 2, probed)
  end
  if isRefused(redis.pcall(unpack(words))) then
    missing[#missing + 1] = words[1]
  end
end
return missing
