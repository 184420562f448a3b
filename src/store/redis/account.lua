-- What all runners of a key share: the rows of its quota, who sends what, and what the account has. One call is one step.
-- ARGV: 1 the run, 2 a name for a new epoch, 3 the epoch that the run knows or '', 4 the number of the last call that it knows,
-- 5 the step; then what the step takes.
-- The answer: 'ok' or 'lost', epoch, number of the call, time, since when nothing was lost, and what was asked.
local state, rows, runs, uploads, slugs, items = unpack(KEYS)
local run, newEpoch, knownEpoch, knownNumber, step = unpack(ARGV, 1, 5)
local a, b, c, d, e = unpack(ARGV, 6, 10)
local LEASE_MS = 30000
local KEPT_MS = 90 * 86400000

-- Lua's tostring rounds large numbers.
local function text(number)
  return string.format('%.0f', number)
end

local was, found = {}, redis.call('HGETALL', state)
for index = 1, #found, 2 do
  was[found[index]] = found[index + 1]
end
local function number(name)
  return tonumber(was[name] or '0')
end

-- Time never runs back when the server's clock is set, or another server takes over.
local clock = redis.call('TIME')
local raw = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
local skew = math.max(number('skew'), number('now') - raw)
local now = raw + skew

-- An epoch is as long as nothing can be lost: the same server, and no key is gone or shorter. A user may be forbidden to ask
-- which server this is.
local function sizes()
  local lengths = { redis.call('LLEN', rows) }
  for _, key in ipairs({ runs, uploads, slugs, items }) do
    lengths[#lengths + 1] = redis.call('HLEN', key)
  end
  return table.concat(lengths, ' ')
end
local info = redis.pcall('INFO', 'server')
local server = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
local isWhole = was.epoch and was.server == server and was.sizes == sizes()
local isLost = knownEpoch ~= ''
  and (not isWhole or knownEpoch ~= was.epoch or tonumber(knownNumber) > number('number'))

-- The number of the newest row; those before it are numbered backwards from it.
local last = was.epoch and number('last') or redis.call('LLEN', rows)
local function add(row)
  last = last + 1
  redis.call('RPUSH', rows, row)
end

local epoch, since, marked = was.epoch, number('since'), was.marked
local hasLost = isLost or ((epoch or last > 0) and not isWhole)
if not isWhole or (isLost and knownEpoch == epoch) then
  epoch, since = newEpoch, now
end
-- Once an epoch: what was used before it, and is not among the rows, may fill the short windows.
if hasLost and marked ~= epoch then
  marked = epoch
  add('{"type":"lost","at":' .. text(now) .. '}')
end

-- Runs by the end of their leases.
local live, leases = {}, redis.call('HGETALL', runs)
for index = 1, #leases, 2 do
  if tonumber(leases[index + 1]) < now then
    redis.call('HDEL', runs, leases[index])
  else
    live[leases[index]] = true
  end
end

local steps = {}

-- The rows of the quota after number `a`, or all of them. Those that follow are added: by 'add' if nothing came since `a`, by
-- 'always', by 'replace' in place of all others, if nothing came; by 'look' none.
function steps.add()
  local seen = tonumber(a)
  local isBehind = knownEpoch == '' or seen < last - redis.call('LLEN', rows)
  local news = {}
  if isBehind then
    news = redis.call('LRANGE', rows, 0, -1)
  elseif seen < last then
    news = redis.call('LRANGE', rows, seen - last, -1)
  end
  local isAdded = not isBehind and step ~= 'look' and (seen == last or step == 'always')
  if isAdded and step == 'replace' then
    redis.call('DEL', rows)
    -- A gap in the numbers: a run that has seen all rows before it reads all.
    last = last + 1
  end
  for index = 7, isAdded and #ARGV or 0 do
    add(ARGV[index])
  end
  local others = {}
  for other in pairs(live) do
    others[#others + 1] = other
  end
  return { text(last), isAdded and 1 or 0, isBehind and 1 or 0, news, others }
end
steps.always, steps.replace, steps.look = steps.add, steps.add, steps.add

local function itemOf(content)
  local value = redis.call('HGET', items, content)
  return value and cjson.decode(value)
end

local function keep(content, item)
  redis.call('HSET', items, content, cjson.encode(item))
end

-- The item `b` of the content `a`. Another run gives it another name; one of the same machine may have inherited it.
local function own()
  local item = itemOf(a)
  return item and item.id == b and item or nil
end

local function uploadOf(content)
  local value = redis.call('HGET', uploads, content)
  return value and tonumber(string.match(value, '^(%d+) ')) > now - KEPT_MS and value or ''
end

-- Content `a` as item `b`, of the path `c` and the size `d`. Nothing is claimed while runs of another epoch may be at work.
function steps.claim()
  if now < since + LEASE_MS then return { 'settling', text(since + LEASE_MS - now) } end
  local item = itemOf(a)
  local isOthers = item and item.id ~= b
  if isOthers and live[item.run] then return { 'waits' } end
  local stored = uploadOf(a)
  if stored ~= '' then return { 'stored', stored } end
  -- Also where the answer of such a call was lost.
  if item and item.state ~= 'claimed' then
    item.id, item.run, item.state = b, run, 'unknown'
    keep(a, item)
    return { 'open', cjson.encode(item) }
  end
  if not item or isOthers then
    keep(a, { id = b, run = run, state = 'claimed', path = c, size = tonumber(d), at = now })
  end
  return { 'mine' }
end

-- What becomes of the item: a state, with the attempt `d`; '' to ask whether it is still this run's; 'gone'; 'left' for the next
-- run that claims it.
function steps.item()
  local item = own()
  if not item then return { 'lost' } end
  if c == 'gone' or (c == 'left' and item.state == 'claimed') then
    redis.call('HDEL', items, a)
  elseif c == 'left' then
    item.run, item.state = nil, 'unknown'
    keep(a, item)
  elseif c ~= '' then
    item.state, item.attempt = c, d or item.attempt
    keep(a, item)
  end
  return { 'mine' }
end

-- The upload `d` of slug `c`; `e` is 'found' where the list showed it.
function steps.store()
  local owner = redis.call('HGET', slugs, c)
  if e == 'found' and owner and owner ~= a then return { 'other' } end
  redis.call('HSET', uploads, a, text(now) .. ' ' .. d)
  redis.call('HSET', slugs, c, a)
  local item = itemOf(a)
  if item and item.id == b then redis.call('HDEL', items, a) end
  return { 'stored' }
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

-- What is stored of contents, or the contents of slugs.
function steps.read()
  local values = {}
  for index = 7, #ARGV do
    values[#values + 1] = a == 'uploads' and uploadOf(ARGV[index]) or redis.call('HGET', slugs, ARGV[index]) or ''
  end
  return values
end

function steps.underway()
  local found = {}
  local all = redis.call('HGETALL', items)
  for index = 1, #all, 2 do
    local item = cjson.decode(all[index + 1])
    if item.state ~= 'claimed' and live[item.run] then found[#found + 1] = all[index] .. ' ' .. all[index + 1] end
  end
  return found
end

function steps.over()
  redis.call('HDEL', runs, run)
  return {}
end

function steps.beat()
  return {}
end

local answer = isLost and {} or steps[step]()
-- A run that only looks, or is over, counts for none.
if not isLost and step ~= 'look' and step ~= 'replace' and step ~= 'over' then
  redis.call('HSET', runs, run, text(now + LEASE_MS))
end
redis.call('HSET', state, 'epoch', epoch, 'since', text(since), 'marked', marked or '', 'last', text(last),
  'number', text(number('number') + 1), 'server', server, 'now', text(now), 'skew', text(skew), 'sizes', sizes())
for _, key in ipairs(KEYS) do
  redis.call('PEXPIRE', key, text(KEPT_MS))
end
return { isLost and 'lost' or 'ok', epoch, text(number('number') + 1), text(now), text(since), answer }
