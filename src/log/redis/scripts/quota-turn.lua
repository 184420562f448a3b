-- Adds rows to a key's quota if nothing came since those that the run has seen, else returns what came.
-- ARGV[1] run, ARGV[2] name for a new epoch, ARGV[3] the time that the run expects or '', ARGV[4] the epoch that it knows or
-- '', ARGV[5] the number of the last row that it has seen, ARGV[6] how many rows follow, with a + where they are added
-- whatever came, or 'look' or 'leave'; then the rows.
-- quota   a hash; an epoch is as long as nothing can be lost: the same server, and no row missing
-- rows    a stream with the ids <number>-0; `based`: rows up to that number were replaced by fewer, which follow
-- leases  runs by the time until which each counts as alive
local quota, rows, leases = unpack(KEYS)
local LEASE_MS = 30000
local KEPT_MS = 2 * 86400000 + 3600000
-- A clock that is this far ahead of what a run expects was set.
local CLOCK_JUMP_MS = 5000

local function text(number)
  return string.format('%.0f', number)
end

local known = redis.call('HMGET', quota, 'epoch', 'since', 'last', 'based', 'server', 'now', 'skew')
local epoch, since = known[1], tonumber(known[2] or '0')
local last, based = tonumber(known[3] or '0'), tonumber(known[4] or '0')

-- The hash alone may be lost: rows keep their numbers.
if not epoch then
  local newest = redis.call('XREVRANGE', rows, '+', '-', 'COUNT', 1)[1]
  last = newest and tonumber(string.match(newest[1], '^%d+')) or 0
end

-- Time never runs back, and does not jump ahead, when the server's clock is set or another server takes over.
local time = redis.call('TIME')
local before = tonumber(known[6] or '0')
local skew = tonumber(known[7] or '0')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) + skew
local expected = tonumber(ARGV[3])
local moved = 0
if expected and now > expected + CLOCK_JUMP_MS then
  moved = math.max(expected, before) - now
end
if now + moved < before then
  moved = before - now
end
now = now + moved

local function add(row)
  last = last + 1
  redis.call('XADD', rows, text(last) .. '-0', 'r', row)
end

-- A user may be forbidden to ask which server this is: then a missing row alone shows a loss.
local info = redis.pcall('INFO', 'server')
local server = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
local isWhole = epoch and known[5] == server and (last == 0 or redis.call('EXISTS', rows) == 1)
local seen = tonumber(ARGV[5])
local isLost = ARGV[4] ~= '' and (not isWhole or ARGV[4] ~= epoch or seen > last)
local hasLost = isLost or ((epoch or last > 0) and not isWhole)
if not isWhole or (isLost and ARGV[4] == epoch) then
  epoch, since = ARGV[2], now
end
-- Once an epoch: what was used before it, and is not among the rows, may fill the short windows.
if hasLost and redis.call('HGET', quota, 'marked') ~= epoch then
  redis.call('HSET', quota, 'marked', epoch)
  add('{"type":"lost","at":' .. text(now) .. '}')
end

local isBehind = ARGV[4] == '' or (based > 0 and seen <= based)
local news = {}
if not isLost and (isBehind or seen < last) then
  local after = isBehind and '-' or '(' .. text(seen) .. '-0'
  for _, entry in ipairs(redis.call('XRANGE', rows, after, '+')) do
    news[#news + 1] = entry[2][2]
  end
end
local count, always = string.match(ARGV[6], '^(%d+)(%+?)$')
local isAdded = 0
if count and not isLost and not isBehind and (seen == last or always == '+') then
  for index = 7, 6 + tonumber(count) do
    add(ARGV[index])
  end
  isAdded = 1
end
redis.call('HSET', quota, 'epoch', epoch, 'since', text(since), 'last', text(last), 'based', text(based), 'server', server,
  'now', text(now), 'skew', text(skew + moved))

for _, over in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', '(' .. text(now), 'LIMIT', 0, 20)) do
  redis.call('ZREM', leases, over)
end
if count then
  redis.call('ZADD', leases, text(now + LEASE_MS), ARGV[1])
elseif ARGV[6] == 'leave' then
  redis.call('ZREM', leases, ARGV[1])
end
for _, key in ipairs({ quota, rows, leases }) do
  redis.call('PEXPIRE', key, text(KEPT_MS))
end

return {
  text(now), epoch, text(since), text(last), isAdded, isBehind and 1 or 0, isLost and 1 or 0, news,
  redis.call('ZRANGEBYSCORE', leases, text(now), '+inf'),
}
