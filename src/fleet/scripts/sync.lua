-- Appends lines to the log if a condition holds, and returns what is new to the runner.
-- ARGV[5] the runner's epoch or '', ARGV[6] the last entry it has, ARGV[7] the condition, ARGV[8] grants it knows of,
-- ARGV[9] field of the lines: l is dated by its entry, m carries its own date; ARGV[10...] the lines.
local condition, field = ARGV[7], ARGV[9]
-- Only runners that were heard of lately are served in turn: others are asleep until their time comes.
local AWAKE_MS = 3000
local SERVED_AT_ONCE = 3

local function runnersAhead()
  local ticket = redis.call('ZSCORE', waiting, runner)
  if not ticket then
    local newest = redis.call('ZREVRANGE', waiting, 0, 0, 'WITHSCORES')[2]
    ticket = text(tonumber(newest or '0') + 1)
    redis.call('ZADD', waiting, ticket, runner)
  end
  local ahead = 0
  for _, other in ipairs(redis.call('ZRANGEBYSCORE', waiting, '-inf', '(' .. ticket, 'LIMIT', 0, 200)) do
    local heard = tonumber(redis.call('ZSCORE', runners, other) or '0')
    if heard >= now - AWAKE_MS then
      ahead = ahead + 1
    end
  end
  return ahead
end

local hasMissed = ARGV[5] ~= epoch or isBefore(ARGV[6], based)
local ahead = 0
local holds = false
if condition == 'always' then
  holds = true
elseif condition == 'in-turn' then
  ahead = runnersAhead()
  holds = not hasMissed and ahead < SERVED_AT_ONCE and tonumber(ARGV[8]) == grants
elseif condition == 'unchanged' then
  holds = not hasMissed and ARGV[6] == last
elseif condition == 'leave' then
  redis.call('ZREM', runners, runner)
  redis.call('ZREM', waiting, runner)
end

if holds then
  for index = 10, #ARGV do
    append(field, ARGV[index])
  end
  if condition == 'in-turn' then
    grants = grants + 1
    redis.call('HSET', state, 'grants', text(grants))
    redis.call('ZREM', waiting, runner)
  end
end

local after = hasMissed and '-' or '(' .. ARGV[6]
local entries = {}
for _, entry in ipairs(redis.call('XRANGE', log, after, '+')) do
  entries[#entries + 1] = { entry[1], entry[2][1], entry[2][2] }
end
return {
  text(now), epoch, text(since), last, text(grants), text(ahead), text(redis.call('ZCARD', runners)),
  holds and 1 or 0, hasMissed and 1 or 0, based, hasMissed and redis.call('GET', base) or '', entries,
}
