import type { RedisScript } from './redis-link.ts'
import compact from './scripts/compact.lua?text'
import prelude from './scripts/prelude.lua?text'
import sync from './scripts/sync.lua?text'

export const syncScript: RedisScript = { text: `${prelude}\n${sync}` }
export const compactScript: RedisScript = { text: `${prelude}\n${compact}` }
