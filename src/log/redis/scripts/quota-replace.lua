-- Replaces all rows of a key's quota by others, which mean the same, unless rows came meanwhile.
-- ARGV[1] the epoch that the run knows, ARGV[2] the number of the last row that it has seen; then the rows.
-- Returns the number of the last row, or 0.
local quota, rows = unpack(KEYS)
local known = redis.call('HMGET', quota, 'epoch', 'last')
if known[1] ~= ARGV[1] or known[2] ~= ARGV[2] then
  return '0'
end

local function text(number)
  return string.format('%.0f', number)
end

local based = tonumber(known[2])
-- A row that says nothing, so that the stream is never empty.
local last = based + 1
redis.call('XADD', rows, text(last) .. '-0', 'r', '')
for index = 3, #ARGV do
  last = last + 1
  redis.call('XADD', rows, text(last) .. '-0', 'r', ARGV[index])
end
redis.call('XTRIM', rows, 'MINID', text(based + 1) .. '-0')
redis.call('HSET', quota, 'based', text(based), 'last', text(last))
return text(last)
