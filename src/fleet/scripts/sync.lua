-- Appends lines to the log if a condition holds, and returns what is new to the runner.
-- ARGV[5] the runner's epoch or '', ARGV[6] the last entry it has, ARGV[7] the condition,
-- ARGV[8] field of the lines: l is dated by its entry, m carries its own date; ARGV[9...] the lines.
local condition, field = ARGV[7], ARGV[8]

local hasMissed = ARGV[5] ~= epoch or isBefore(ARGV[6], based)
local holds = condition == 'always'
if condition == 'unchanged' then
  holds = not hasMissed and ARGV[6] == last
elseif condition == 'leave' then
  redis.call('ZREM', runners, runner)
end

if holds then
  for index = 9, #ARGV do
    append(field, ARGV[index])
  end
end

local after = hasMissed and '-' or '(' .. ARGV[6]
local entries = {}
for _, entry in ipairs(redis.call('XRANGE', log, after, '+')) do
  entries[#entries + 1] = { entry[1], entry[2][1], entry[2][2] }
end
return {
  text(now), epoch, text(since), last, text(redis.call('ZCARD', runners)),
  holds and 1 or 0, hasMissed and 1 or 0, based, hasMissed and redis.call('GET', base) or '', entries,
}
