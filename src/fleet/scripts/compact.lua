-- Replaces the beginning of the log by a shorter text, unless another runner already has.
-- ARGV[5] the runner's epoch, ARGV[6] where its log begins, ARGV[7] the last entry that the text stands for, ARGV[8] the text.
if ARGV[5] ~= epoch or ARGV[6] ~= based then
  return 0
end
local ms, number = parts(ARGV[7])
redis.call('SET', base, ARGV[8], 'PX', LEDGER_KEPT_MS)
redis.call('HSET', state, 'based', ARGV[7])
redis.call('XTRIM', log, 'MINID', text(ms) .. '-' .. text(number + 1))
return 1
