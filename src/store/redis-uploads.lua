-- Who sends what, and what an account has, among all runners of a key. One call is one step.
-- ARGV[1] what is asked, ARGV[2] the run, ARGV[3] the epoch that it knows or '', ARGV[4] the last write that it has seen or '',
-- ARGV[5] a name for a new epoch. Arguments of its own begin with ARGV[6]. Each call keeps the run alive for a lease.
-- The answer: 'ok' or 'lost', epoch, last write, time, since when the memory is whole, and what was asked.
local meta, uploads, slugs, items, sends, leases, writes = unpack(KEYS)
local asked, run, knownEpoch, knownWrite, newEpoch, sha, id = unpack(ARGV, 1, 7)
local LEASE_MS = 30000
local KEPT_MS = 90 * 86400000
local WRITES_KEPT_MS = 3600000

-- Lua's tostring rounds large numbers.
local function text(number)
  return string.format('%.0f', number)
end

local known = redis.call('HMGET', meta, 'epoch', 'since', 'now', 'number')
local epoch, since, number = known[1], tonumber(known[2] or '0'), tonumber(known[4] or '0')
local time = redis.call('TIME')
local now = math.max(tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000), tonumber(known[3] or '0'))

-- Each key that can be lost alone tells that it belongs to this epoch. Where another server, or an old copy, has taken over,
-- a write that this run has seen is missing.
local function isWhole()
  for _, key in ipairs({ uploads, slugs, items, leases }) do
    if redis.call('HGET', key, '') ~= epoch then return false end
  end
  if #redis.call('ZRANGEBYSCORE', sends, '-inf', '0') == 0 then return false end
  if knownEpoch ~= epoch or knownWrite == '' or #redis.call('XRANGE', writes, knownWrite, knownWrite) > 0 then return true end
  local first = redis.call('XRANGE', writes, '-', '+', 'COUNT', 1)[1]
  local writtenAt = tonumber(string.match(knownWrite, '^(%d+)'))
  return writtenAt < now - WRITES_KEPT_MS and first ~= nil
end

if not epoch or not isWhole() then
  epoch, since = newEpoch, now
  redis.call('HSET', meta, 'epoch', epoch, 'since', text(since))
  for _, key in ipairs({ uploads, slugs, items, leases }) do
    redis.call('HSET', key, '', epoch)
  end
  redis.call('ZADD', sends, 0, '')
end
if knownEpoch ~= '' and knownEpoch ~= epoch then
  return { 'lost', epoch }
end

local function lives(other)
  return (tonumber(redis.call('HGET', leases, other) or '0')) > now
end

local function itemOf(content)
  local found = redis.call('HGET', items, content)
  return found and cjson.decode(found)
end

local function keep(item)
  redis.call('HSET', items, sha, cjson.encode(item))
end

local function drop(content)
  redis.call('HDEL', items, content)
  redis.call('ZREM', sends, content)
end

-- The item of this name, where it is this run's.
local function own()
  local item = itemOf(sha)
  return item and item.id == id and item.run == run and item or nil
end

local function uploadOf(content)
  local value = redis.call('HGET', uploads, content)
  return value and tonumber(string.match(value, '^(%d+) ')) > now - KEPT_MS and value or ''
end

local steps = {}

function steps.claim()
  if now < since + LEASE_MS then return { 'settling', text(since + LEASE_MS - now) } end
  local item = itemOf(sha)
  local isOthers = item and item.id ~= id
  if isOthers and item.run and lives(item.run) then return { 'waits', item.run, item.id } end
  local stored = uploadOf(sha)
  if stored ~= '' then return { 'stored', stored } end
  if isOthers and item.state ~= 'claimed' then
    item.run, item.state = run, 'unknown'
    keep(item)
    return { 'open', cjson.encode(item) }
  end
  if not item or isOthers then
    keep({ id = id, run = run, state = 'claimed', path = ARGV[8], size = tonumber(ARGV[9]) })
  end
  return { 'mine' }
end

function steps.intend()
  local item = own()
  if not item then return { 'lost' } end
  item.state, item.attempt = 'sending', ARGV[8]
  keep(item)
  redis.call('ZADD', sends, text(now), sha)
  return { 'mine' }
end

function steps.looking()
  local item = own()
  if item then
    item.state = 'looking'
    keep(item)
  end
  return {}
end

function steps.check()
  return { own() and 'mine' or 'lost' }
end

-- ARGV[8] slug, ARGV[9] the upload, ARGV[10] 'found' where the list showed it.
function steps.store()
  local owner = redis.call('HGET', slugs, ARGV[8])
  if ARGV[10] == 'found' and owner and owner ~= sha then return { 'other' } end
  redis.call('HSET', uploads, sha, text(now) .. ' ' .. ARGV[9])
  redis.call('HSET', slugs, ARGV[8], sha)
  local item = itemOf(sha)
  if item and item.id == id then drop(sha) end
  return { 'stored' }
end

function steps.drop()
  if own() then drop(sha) end
  return {}
end

-- The next run that claims it finds out.
function steps.leave()
  local item = own()
  if item and item.state == 'claimed' then
    drop(sha)
  elseif item then
    item.run, item.state = nil, 'unknown'
    keep(item)
  end
  return {}
end

function steps.forget()
  for index = 6, #ARGV do
    local content = redis.call('HGET', slugs, ARGV[index])
    redis.call('HDEL', slugs, ARGV[index])
    local upload = content and uploadOf(content) or ''
    if string.match(upload, '^%d+ (%S+) ') == ARGV[index] then redis.call('HDEL', uploads, content) end
  end
  return {}
end

-- What is stored of these contents.
function steps.look()
  local found = {}
  for index = 6, #ARGV do
    found[#found + 1] = uploadOf(ARGV[index])
  end
  return found
end

-- The contents of these slugs.
function steps.owners()
  local found = {}
  for index = 6, #ARGV do
    found[#found + 1] = redis.call('HGET', slugs, ARGV[index]) or ''
  end
  return found
end

function steps.underway()
  local found = {}
  for _, content in ipairs(redis.call('ZRANGEBYSCORE', sends, '1', '+inf')) do
    local item = itemOf(content)
    if item and item.run and lives(item.run) then found[#found + 1] = content .. ' ' .. cjson.encode(item) end
  end
  return found
end

-- This run has ended, or another one, as its machine knows.
function steps.over()
  redis.call('HDEL', leases, ARGV[6])
  return {}
end

function steps.beat()
  return {}
end

local answer = steps[asked]()
if asked ~= 'over' or ARGV[6] ~= run then
  redis.call('HSET', leases, run, text(now + LEASE_MS))
end
number = number + 1
local write = text(now) .. '-' .. text(number)
redis.call('HSET', meta, 'now', text(now), 'number', text(number))
redis.call('XADD', writes, write, 'r', run)
redis.call('XTRIM', writes, 'MINID', text(now - WRITES_KEPT_MS))
for _, key in ipairs({ meta, uploads, slugs, items, sends, leases, writes }) do
  redis.call('PEXPIRE', key, text(KEPT_MS))
end
return { 'ok', epoch, write, text(now), text(since), answer }
