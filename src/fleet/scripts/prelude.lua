-- The beginning of every script: what time it is, and whether the fleet's memory is whole.
-- ARGV[1] runner, ARGV[2] name for a new epoch, ARGV[3] the time that the runner expects or '',
-- ARGV[4] an epoch that the runner found damaged, or ''. A script's own arguments begin with ARGV[5].
-- Lua's tostring rounds large numbers, so `text` writes all of them.
local state, log, base, record, seen, runners = unpack(KEYS)
local runner = ARGV[1]
local RUNNER_LEASE_MS = 30000
local LEDGER_KEPT_MS = 2 * 86400000 + 3600000
local RECORD_KEPT_MS = 90 * 86400000
-- A clock that is this far ahead of what a runner expects was set.
local CLOCK_JUMP_MS = 5000

local function text(number)
  return string.format('%.0f', number)
end

local function parts(id)
  local ms, number = string.match(id, '^(%d+)-(%d+)$')
  return tonumber(ms), tonumber(number)
end

local function isBefore(id, other)
  local ms, number = parts(id)
  local otherMs, otherNumber = parts(other)
  return ms < otherMs or (ms == otherMs and number < otherNumber)
end

local known = redis.call('HMGET', state, 'epoch', 'since', 'skew', 'last', 'based')
local epoch = known[1]
local since = tonumber(known[2] or '0')
local skew = tonumber(known[3] or '0')
local last = known[4]
local based = known[5] or '0-0'

if not last then
  local newest = redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
  last = newest and newest[1] or '0-0'
end
local lastMs, lastNumber = parts(last)

-- Time never runs back, and does not jump ahead, when the server's clock is set or another server takes over.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) + skew
local expected = tonumber(ARGV[3])
local moved = 0
if expected and now > expected + CLOCK_JUMP_MS then
  moved = math.max(expected, lastMs) - now
end
if now < lastMs then
  moved = lastMs - now
end
now = now + moved

-- Each key that can be lost alone tells that it belongs to this epoch. An expired log is a lost one.
local isWhole = epoch and epoch ~= ARGV[4]
  and redis.call('HGET', record, 'epoch') == epoch
  and redis.call('EXISTS', log) == 1
  and (based == '0-0' or redis.call('EXISTS', base) == 1)

if not isWhole then
  epoch, since = ARGV[2], now
  if redis.call('EXISTS', base) == 0 then
    based = '0-0'
  end
  redis.call('HSET', state, 'epoch', epoch, 'since', text(since), 'based', based, 'last', last)
  redis.call('HSET', record, 'epoch', epoch)
end
if moved ~= 0 then
  redis.call('HSET', state, 'skew', text(skew + moved))
end

local function append(field, line)
  lastNumber = lastNumber + 1
  lastMs = math.max(now, lastMs)
  last = text(lastMs) .. '-' .. text(lastNumber)
  redis.call('HSET', state, 'last', last)
  redis.call('XADD', log, last, field, line)
end

if not isWhole then
  append('l', '{"type":"epoch"}')
end

-- A runner that was not heard of for so long is gone: what it had in flight counts as charged now.
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', runners, '-inf', '(' .. text(now - RUNNER_LEASE_MS), 'LIMIT', 0, 20)) do
  redis.call('ZREM', runners, gone)
  append('l', '{"type":"gone","runner":"' .. gone .. '"}')
end
redis.call('ZADD', runners, text(now), runner)
redis.call('PEXPIRE', state, text(RECORD_KEPT_MS))
redis.call('PEXPIRE', record, text(RECORD_KEPT_MS))
redis.call('PEXPIRE', log, text(LEDGER_KEPT_MS))
redis.call('PEXPIRE', base, text(LEDGER_KEPT_MS))
redis.call('PEXPIRE', runners, text(RECORD_KEPT_MS))
