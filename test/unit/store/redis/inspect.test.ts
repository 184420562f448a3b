import { expect, test } from 'vitest'
import { inspectRedis } from '../../../../src/store/redis/inspect.ts'

test.each([[null], ['OK'], [7]])('a server that answers a script with %j is no Redis for a ledger', async (answer) => {
  const link = { run: async () => answer }
  await expect(inspectRedis(link)).rejects.toMatchObject({
    name: 'StoreError',
    failure: 'failed',
    message: 'Redis does not run scripts as it should',
  })
})
