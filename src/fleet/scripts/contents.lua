-- What the account has, by content, and which runner is sending what. ARGV[5] names the operation; its arguments follow.
-- state   c:<sha256> = "<runner> <claim> <told>", i:<sha256> = "<written> <intent>", alone = when one sent unasked
-- record  r:<sha256> = "<confirmed> <slug> <text>", s:<slug> = <sha256>
-- seen    <sha256> and c:<sha256>, by the time they were last written; all times are the fleet's, in milliseconds
local operation = ARGV[5]
local SETTLING_MS = 5000
local PRUNED_AT_ONCE = 20

local function entryOf(sha)
  local value = redis.call('HGET', record, 'r:' .. sha)
  local at = value and tonumber(string.match(value, '^(%d+) '))
  if at and at >= now - RECORD_KEPT_MS then
    return value, at
  end
end

local function slugOf(value)
  return string.match(value, '^%d+ (%S+) ')
end

local function holderOf(sha)
  return string.match(redis.call('HGET', state, 'c:' .. sha) or '', '^(%S+) (%S+) (%d+)$')
end

-- A claim lives as long as its runner. One of before a loss, which its runner has not told again, was given up since.
local function lives(holder, told)
  local alive = holder and tonumber(told) >= since
    and redis.call('ZRANGEBYSCORE', runners, text(now - RUNNER_LEASE_MS), '+inf')
  for _, name in ipairs(alive or {}) do
    if name == holder then
      return true
    end
  end
end

local function isMine(sha, claim)
  local holder, held = holderOf(sha)
  return holder == runner and held == claim
end

local function take(sha, claim)
  redis.call('HSET', state, 'c:' .. sha, runner .. ' ' .. claim .. ' ' .. text(now))
  redis.call('ZADD', seen, text(now), 'c:' .. sha)
  redis.call('PEXPIRE', seen, text(RECORD_KEPT_MS))
end

local function release(sha, isOpen)
  redis.call('HDEL', state, 'c:' .. sha)
  if not isOpen then
    redis.call('HDEL', state, 'i:' .. sha)
    redis.call('ZREM', seen, 'c:' .. sha)
  end
end

-- A claim that is gone after a loss can be set again as long as no other runner has it, or has had it.
local function mayHold(sha, claim)
  return not entryOf(sha) and (isMine(sha, claim)
    or not redis.call('HGET', state, 'c:' .. sha) and not redis.call('HGET', state, 'i:' .. sha))
end

local function forget(sha)
  local value = redis.call('HGET', record, 'r:' .. sha)
  local slug = value and slugOf(value)
  if slug and redis.call('HGET', record, 's:' .. slug) == sha then
    redis.call('HDEL', record, 's:' .. slug)
  end
  redis.call('HDEL', record, 'r:' .. sha)
  redis.call('ZREM', seen, sha)
end

local function prune()
  local before = '(' .. text(now - RECORD_KEPT_MS)
  for _, old in ipairs(redis.call('ZRANGEBYSCORE', seen, '-inf', before, 'LIMIT', 0, PRUNED_AT_ONCE)) do
    if string.sub(old, 1, 2) == 'c:' then
      release(string.sub(old, 3))
    else
      forget(old)
    end
  end
end

local function confirm(sha, slug, at, description)
  local _, known = entryOf(sha)
  -- Ages are measured, so two that were told in a row may seem to be in another order.
  if known and known > at + 1000 then
    return
  end
  forget(sha)
  redis.call('HSET', record, 'r:' .. sha, text(at) .. ' ' .. slug .. ' ' .. description, 's:' .. slug, sha)
  redis.call('ZADD', seen, text(at), sha)
  redis.call('PEXPIRE', seen, text(RECORD_KEPT_MS))
  -- Who holds it need not send it any more.
  release(sha)
end

local function answer(...)
  local alone = redis.call('HGET', state, 'alone') or '0'
  return { text(now), epoch, text(since), alone, ... }
end

local function answers(of)
  local values = {}
  for index = 6, #ARGV do
    values[#values + 1] = of(ARGV[index]) or ''
  end
  return answer(values)
end

-- ARGV[6...] contents: what the record has of them.
if operation == 'look' then
  return answers(function(sha) return (entryOf(sha)) end)
end

-- ARGV[6...] slugs: the content that each has.
if operation == 'owners' then
  return answers(function(slug)
    local sha = redis.call('HGET', record, 's:' .. slug)
    local value = sha and entryOf(sha)
    return value and slugOf(value) == slug and sha .. ' ' .. value
  end)
end

-- ARGV[6] content, ARGV[7] claim, ARGV[8] a claim whose process has ended, or ''.
if operation == 'claim' then
  local sha, claim = ARGV[6], ARGV[7]
  local entry = entryOf(sha)
  if entry then
    return answer('stored', entry)
  end
  local holder, held, told = holderOf(sha)
  if isMine(sha, claim) then
    take(sha, claim)
    return answer('granted')
  end
  -- Living runners first tell what they hold.
  if now < since + SETTLING_MS then
    return answer('settling', text(since + SETTLING_MS - now))
  end
  if lives(holder, told) and held ~= ARGV[8] then
    return answer('waits', held)
  end
  local intent = redis.call('HGET', state, 'i:' .. sha)
  take(sha, claim)
  return answer(intent and 'heir' or 'granted', intent or nil)
end

-- ARGV[6] content, ARGV[7] claim, ARGV[8] intent: called before the first byte leaves.
if operation == 'intend' then
  local sha, claim = ARGV[6], ARGV[7]
  if not mayHold(sha, claim) then
    return answer('lost')
  end
  redis.call('HSET', state, 'i:' .. sha, text(now) .. ' ' .. ARGV[8])
  take(sha, claim)
  return answer('held')
end

-- ARGV[6...] content, claim, intent or '': tells them again. Answers those that are another's now.
if operation == 'keep' then
  local lost = {}
  for index = 6, #ARGV, 3 do
    local sha, claim, intent = ARGV[index], ARGV[index + 1], ARGV[index + 2]
    if mayHold(sha, claim) then
      take(sha, claim)
      if intent ~= '' then
        redis.call('HSETNX', state, 'i:' .. sha, text(now) .. ' ' .. intent)
      end
    else
      lost[#lost + 1] = sha
    end
  end
  return answer(lost)
end

-- ARGV[6] content, ARGV[7] claim, ARGV[8] 'open': it may be stored, and the next runner that claims it finds out.
if operation == 'release' then
  if isMine(ARGV[6], ARGV[7]) then
    release(ARGV[6], ARGV[8] == 'open')
  end
  return answer()
end

-- ARGV[6...] content, slug, age in milliseconds, text: the service showed it then.
if operation == 'confirm' then
  for index = 6, #ARGV, 4 do
    confirm(ARGV[index], ARGV[index + 1], now - tonumber(ARGV[index + 2]), ARGV[index + 3])
  end
  prune()
  return answer()
end

-- ARGV[6...] slugs: the service no longer has them.
if operation == 'forget' then
  for index = 6, #ARGV do
    local sha = redis.call('HGET', record, 's:' .. ARGV[index])
    if sha then
      forget(sha)
    end
  end
  return answer()
end

-- A runner that was cut off has sent without asking.
if operation == 'alone' then
  redis.call('HSET', state, 'alone', text(now))
  return answer()
end

return redis.error_reply('ERR unknown operation of contents')
