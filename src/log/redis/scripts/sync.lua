-- Appends lines to the log if a condition holds, and returns what is new to the runner, and what it asks of the record.
-- ARGV[6] the runner's epoch or '', ARGV[7] the last entry it has, ARGV[8] the condition,
-- ARGV[9] field of the lines: l is dated by its entry, m carries its own date; ARGV[10] how many lines follow.
-- After the lines: fields of the record, r:<sha256> or s:<slug>. Under `waits` the lines are runners that are waited for.
local condition, field = ARGV[8], ARGV[9]
local lastLine = 10 + tonumber(ARGV[10])
local SETTLING_MS = 5000

local isKnown = ARGV[6] == epoch
local hasMissed = not isKnown or isBefore(ARGV[7], own.based)
local holds = condition == 'always'
if condition == 'unchanged' then
  holds = not hasMissed and ARGV[7] == own.last
elseif condition == 'settled' then
  -- After a loss living runners first tell what they hold.
  holds = isKnown and now >= since + SETTLING_MS
elseif condition == 'waits' then
  -- One of before a loss may have been killed meanwhile, unheard.
  for index = 11, lastLine do
    redis.call('ZADD', runners, 'NX', text(now), ARGV[index])
    markTelling(ARGV[index])
  end
elseif condition == 'leave' then
  redis.call('ZREM', runners, runner)
  redis.call('HDEL', state, 'tells:' .. runner)
end

if holds then
  markTelling(runner)
  for index = 11, lastLine do
    append(own, field, ARGV[index])
  end
end

local after = hasMissed and '-' or '(' .. ARGV[7]
-- A gap that no entry fills tells the runner that its last one is missing.
local isJoined = hasMissed or hasEntry(ARGV[7])
local entries = {}
for _, entry in ipairs(isJoined and redis.call('XRANGE', own.entries, after, '+') or {}) do
  entries[#entries + 1] = { entry[1], entry[2][1], entry[2][2] }
end
-- An upload that was not confirmed for so long may be gone.
local function recordedOf(field)
  local value = redis.call('HGET', record, field) or ''
  local at = tonumber(string.match(value, '^(%d+) ') or '0')
  return at > now - RECORD_KEPT_MS and value or ''
end
local recorded = {}
for index = lastLine + 1, #ARGV do
  if string.sub(ARGV[index], 1, 2) == 's:' then
    local sha = redis.call('HGET', record, ARGV[index])
    recorded[#recorded + 1] = sha and sha .. ' ' .. recordedOf('r:' .. sha) or ''
  else
    recorded[#recorded + 1] = recordedOf(ARGV[index])
  end
end
return {
  text(now), epoch, text(since), own.last, text(redis.call('ZCARD', runners)),
  holds and 1 or 0, hasMissed and 1 or 0, own.based, hasMissed and redis.call('GET', own.base) or '', entries, recorded,
}
