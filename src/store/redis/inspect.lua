-- Whether a ledger can work here: runs each command that account.lua runs, on keys of its own. A write comes first: what
-- follows one is permitted to take more memory.
-- The answer: the commands that failed, each with its error; what INFO tells of the server and its memory.
local hash, list = KEYS[1] .. ':hash', KEYS[1] .. ':list'
local problems = {}
local function try(...)
  local answer = redis.pcall(...)
  if type(answer) == 'table' and answer.err then
    problems[#problems + 1] = { (...), answer.err }
  end
  return type(answer) == 'string' and answer or ''
end
try('HSET', hash, 'field', 'value')
try('HGET', hash, 'field')
try('HGETALL', hash)
try('HLEN', hash)
try('HDEL', hash, 'field')
try('RPUSH', list, 'value')
try('LLEN', list)
try('LRANGE', list, 0, -1)
try('PEXPIRE', list, 1000)
try('DEL', list)
try('TIME')
local found = { unpack(problems) }
return { found, try('INFO', 'server'), try('INFO', 'memory') }
