-- Tries the commands of the other scripts, without writing, and returns the names of those that are refused.
-- Each ARGV is a command and what follows its key, one a line. Then it writes, so that a server that takes none says so.
local probed = KEYS[1] .. ':probe'
local missing = {}
for _, line in ipairs(ARGV) do
  local words = {}
  for word in string.gmatch(line, '[^\n]+') do
    words[#words + 1] = word
  end
  if words[1] ~= 'TIME' then
    table.insert(words, 2, probed)
  end
  local answer = redis.pcall(unpack(words))
  local refusal = type(answer) == 'table' and answer.err or ''
  for _, reason in ipairs({ 'NOPERM', 'ACL failure', "can't run this command", 'Unknown Redis command' }) do
    if string.find(refusal, reason, 1, true) then
      missing[#missing + 1] = words[1]
      break
    end
  end
end
if #missing == 0 then
  redis.call('SET', probed, '1', 'PX', 1000)
end
return missing
