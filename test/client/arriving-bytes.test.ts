import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/index.ts'
import { movingBytes, sha256Of, slowService } from '../helpers/slow-service.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { socketTransports, tls } from './every-transport.ts'

const expected = sha256Of(movingBytes)

describe.each(socketTransports)('over the %s transport', (_, create) => {
  test.each([
    ['plain', false, 'POST /api/upload'],
    ['secure', false, 'POST /api/upload'],
    ['plain', true, /^POST http:\/\/127\.0\.0\.1:\d+\/api\/upload$/],
    ['secure', true, /^CONNECT 127\.0\.0\.1:\d+$/],
  ] as const)(
    'a slow service that is %s, behind a proxy: %s, gets every byte of a file in its place',
    async (kind, isProxied, target) => {
      const { [kind]: baseUrl, proxy, hashes, targets } = await slowService()
      const path = join(temporaryFolder(), 'large.jpg')
      writeFileSync(path, movingBytes)
      const transport = create({ ca: tls.cert, ...(isProxied && { proxy }) })
      await using client = createClient({ baseUrl, apiKey: 'k', pacing: false, transport })
      await client.upload(path)
      expect(hashes).toEqual([expected])
      expect(targets[0]).toEqual(typeof target === 'string' ? target : expect.stringMatching(target))
    },
  )
})
