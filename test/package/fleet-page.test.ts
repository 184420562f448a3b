import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { neededRights } from '../../src/fleet/redis-rights.ts'

test('docs/fleet.md names the rights that a user of Redis needs', () => {
  expect(readFileSync('docs/fleet.md', 'utf8').replace(/\s+/g, ' ')).toContain(
    `ACL SETUSER runner on >password ${neededRights}`,
  )
})
