import { expect, test } from 'vitest'
import { inspectRedis } from '../../../../src/log/redis/inspect-redis.ts'

test.each([[null], ['OK'], [7]])('a server that answers a script with %j is no Redis for a ledger', async (answer) => {
  const link = { run: async () => answer, send: async () => answer, close() {} }
  await expect(inspectRedis(link)).rejects.toMatchObject({
    name: 'FleetProblem',
    kind: 'failed',
    message: 'Redis does not run scripts as it should',
  })
})
