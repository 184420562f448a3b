import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseApiPath } from '../../../../../src/cli/commands/api.ts'
import { sampledRuns } from '../../../../sampling/sample.ts'

const base = 'https://files.example/below'

test('for any argument, the key is sent below /api of the base URL or nowhere', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.webPath(), fc.webUrl()), (text) => {
      let path: string
      try {
        path = parseApiPath(text, base)
      } catch {
        return
      }
      expect(new URL(`${base}${path}`).href).toMatch(/^https:\/\/files\.example\/below\/api\/./)
    }),
    sampledRuns(200, 25),
  )
})
