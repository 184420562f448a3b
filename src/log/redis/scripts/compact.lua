-- Replaces the beginning of the log by a shorter text, unless another runner already has, and moves to the record what the
-- text leaves out. ARGV[6] the runner's epoch, ARGV[7] where its log begins, ARGV[8] the last entry that the text stands
-- for, ARGV[9] the text, ARGV[10] how many slugs follow that the service no longer has; after those content, slug, time and
-- text of each upload.
-- record  r:<sha256> = "<confirmed> <slug> <text>", s:<slug> = <sha256>
-- seen    <sha256> by the time it was last confirmed; all times are the fleet's, in milliseconds
-- Besides as many as were confirmed, so that the record shrinks.
local PRUNED_AT_ONCE = 20
if ARGV[6] ~= epoch or ARGV[7] ~= own.based or not hasEntry(ARGV[8]) then
  return 0
end

local function forget(sha)
  local slug = string.match(redis.call('HGET', record, 'r:' .. sha) or '', '^%d+ (%S+) ')
  if slug and redis.call('HGET', record, 's:' .. slug) == sha then
    redis.call('HDEL', record, 's:' .. slug)
  end
  redis.call('HDEL', record, 'r:' .. sha)
  redis.call('ZREM', seen, sha)
end

local function confirm(sha, slug, at, description)
  local known = string.match(redis.call('HGET', record, 'r:' .. sha) or '', '^(%d+) ')
  if known and tonumber(known) > tonumber(at) then
    return
  end
  forget(sha)
  redis.call('HSET', record, 'r:' .. sha, at .. ' ' .. slug .. ' ' .. description, 's:' .. slug, sha)
  redis.call('ZADD', seen, at, sha)
  redis.call('PEXPIRE', seen, text(RECORD_KEPT_MS))
end

local firstUpload = 11 + tonumber(ARGV[10])
for index = 11, firstUpload - 1 do
  local sha = redis.call('HGET', record, 's:' .. ARGV[index])
  if sha then
    forget(sha)
  end
end
for index = firstUpload, #ARGV, 4 do
  confirm(ARGV[index], ARGV[index + 1], ARGV[index + 2], ARGV[index + 3])
end
local before = '(' .. text(now - RECORD_KEPT_MS)
for _, old in ipairs(redis.call('ZRANGEBYSCORE', seen, '-inf', before, 'LIMIT', 0, PRUNED_AT_ONCE + math.floor(#ARGV / 4))) do
  forget(old)
end

-- Last: what is refused before leaves the log as it is.
local ms, number = parts(ARGV[8])
redis.call('SET', own.base, ARGV[9], 'PX', text(own.keptMs))
redis.call('HSET', state, own.prefix .. 'based', ARGV[8])
redis.call('XTRIM', own.entries, 'MINID', text(ms) .. '-' .. text(number + 1))
return 1
