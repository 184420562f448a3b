-- The beginning of every script: what time it is, and whether the fleet's memory is whole.
-- ARGV[1] runner, ARGV[2] name for a new epoch, ARGV[3] the time that the runner expects or '',
-- ARGV[4] an epoch that the runner found damaged, or '', ARGV[5] the log that the script works on: 'quota' or 'contents'.
-- A script's own arguments begin with ARGV[6]. Lua's tostring rounds large numbers, so `text` writes all of them.
local state, log, base, record, seen, runners, contents, contentsBase = unpack(KEYS)
local runner = ARGV[1]
local RUNNER_LEASE_MS = 30000
local LEDGER_KEPT_MS = 2 * 86400000 + 3600000
local RECORD_KEPT_MS = 90 * 86400000
-- A clock that is this far ahead of what a runner expects was set.
local CLOCK_JUMP_MS = 5000
-- A runner of which something is open, and that can reach this server, calls within this time.
local HEARD_WITHIN_MS = 10000

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

local known = redis.call('HMGET', state, 'epoch', 'since', 'skew', 'form', 'last', 'based', 'contents-last', 'contents-based', 'quiet')
local epoch = known[1]
local since = tonumber(known[2] or '0')
local skew = tonumber(known[3] or '0')
local newestMs = 0

-- last: its newest entry; based: the entry up to which its base stands for it. Both are fields of the state, too.
local function openLog(entries, base, prefix, keptMs, last, based)
  local newest = not last and redis.call('XREVRANGE', entries, '+', '-', 'COUNT', 1)[1]
  local one = { entries = entries, base = base, prefix = prefix, keptMs = keptMs, based = based or '0-0' }
  one.last = last or (newest and newest[1]) or '0-0'
  one.ms, one.number = parts(one.last)
  newestMs = math.max(newestMs, one.ms)
  return one
end

local logs = {
  quota = openLog(log, base, '', LEDGER_KEPT_MS, known[5], known[6]),
  contents = openLog(contents, contentsBase, 'contents-', RECORD_KEPT_MS, known[7], known[8]),
}
local own = logs[ARGV[5]]

-- Where another server took over, an entry that a runner has read may be missing, and another one have its number.
local function hasEntry(id)
  return id == own.based or redis.call('XRANGE', own.entries, id, id)[1] ~= nil
end

-- Time never runs back, and does not jump ahead, when the server's clock is set or another server takes over.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) + skew
local expected = tonumber(ARGV[3])
local moved = 0
if expected and now > expected + CLOCK_JUMP_MS then
  moved = math.max(expected, newestMs) - now
end
if now < newestMs then
  moved = newestMs - now
end
now = now + moved

-- Each key that can be lost alone tells that it belongs to this epoch. A log that is missing was lost, unless it is so old
-- that it may have expired. Before form 2 what was being sent was kept elsewhere: to runners of this form that is lost, and
-- they look at the list.
local isWhole = epoch and known[4] == '2' and epoch ~= ARGV[4] and redis.call('HGET', record, 'epoch') == epoch
for _, one in pairs(logs) do
  one.isUsed = one == own or one.last ~= '0-0'
  one.hasBase = redis.call('EXISTS', one.base) == 1
  local isOld = one.ms < now - one.keptMs
  isWhole = isWhole
    and (isOld or (redis.call('EXISTS', one.entries) == 1 and (one.based == '0-0' or one.hasBase)))
end

-- Whether a runner has told something of contents is a field of the state: of others nothing ends there.
local function markTelling(name)
  if own == logs.contents then
    redis.call('HSET', state, 'tells:' .. name, '1')
  end
end

local function append(to, field, line)
  to.number = to.number + 1
  to.ms = math.max(now, to.ms)
  to.last = text(to.ms) .. '-' .. text(to.number)
  redis.call('HSET', state, to.prefix .. 'last', to.last)
  redis.call('XADD', to.entries, to.last, field, line)
end

if not isWhole then
  epoch, since = ARGV[2], now
  redis.call('HSET', state, 'epoch', epoch, 'since', text(since), 'form', '2')
  redis.call('HSET', record, 'epoch', epoch)
  for _, one in pairs(logs) do
    one.based = one.hasBase and one.based or '0-0'
    redis.call('HSET', state, one.prefix .. 'based', one.based)
    if one.isUsed then
      append(one, 'l', '{"type":"epoch"}')
    end
  end
end
if moved ~= 0 then
  redis.call('HSET', state, 'skew', text(skew + moved))
end

-- A runner that was not heard of for so long is gone: what it had in flight counts as charged now, and its claims end. Where
-- none was heard of lately, this server's clock may have been set, or all have slept: those who live are heard of soon.
local silent = redis.call('ZRANGEBYSCORE', runners, '-inf', '(' .. text(now - RUNNER_LEASE_MS), 'LIMIT', 0, 20)
local quietForMs = now - tonumber(known[9] or '0')
if #silent > 0 and (quietForMs < 0 or quietForMs > 10 * RUNNER_LEASE_MS)
  and not redis.call('ZRANGEBYSCORE', runners, text(now - 2 * HEARD_WITHIN_MS), '+inf', 'LIMIT', 0, 1)[1] then
  quietForMs = 0
  redis.call('HSET', state, 'quiet', text(now))
end
for _, gone in ipairs((quietForMs < 0 or quietForMs >= HEARD_WITHIN_MS) and silent or {}) do
  redis.call('ZREM', runners, gone)
  local line = '{"type":"gone","runner":' .. cjson.encode(gone) .. '}'
  local hasTold = redis.call('HDEL', state, 'tells:' .. gone) == 1
  if logs.quota.isUsed then
    append(logs.quota, 'l', line)
  end
  if hasTold then
    append(logs.contents, 'l', line)
  end
end
redis.call('ZADD', runners, text(now), runner)
for _, key in ipairs({ state, record, runners }) do
  redis.call('PEXPIRE', key, text(RECORD_KEPT_MS))
end
redis.call('PEXPIRE', own.entries, text(own.keptMs))
redis.call('PEXPIRE', own.base, text(own.keptMs))
