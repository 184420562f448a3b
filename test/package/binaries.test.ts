import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { expectIntegrity } from '../../build/binaries/runtime.mjs'
import { binaryOf, bunVersion, targets } from '../../build/binaries/targets.mjs'

test('docs/binaries.md lists the binary of each target, each within 60 MB by gzip, and the version of its runtime', () => {
  const page = readFileSync('docs/binaries.md', 'utf8')
  const sizes = [...page.matchAll(/^\| `(\S+)` \| [\d.]+ \| ([\d.]+) \|$/gm)]
  expect(sizes.map(([, file]) => `binaries/${file}`)).toEqual(Object.keys(targets).map((target) => binaryOf(target)))
  expect(Math.max(...sizes.map(([, , compressed]) => Number(compressed)))).toBeLessThanOrEqual(60)
  expect(page).toContain(`Bun ${bunVersion}`)
})

test('a runtime whose tarball is not the one of the table is refused, with both integrities', () => {
  const { integrity } = targets['linux-x64']
  expect(() => expectIntegrity('@oven/bun', Buffer.from('another'), integrity)).toThrow(`the table has ${integrity}`)
  const all = Object.values(targets).map((target) => target.integrity)
  expect([new Set(all).size, all.every((text) => /^sha512-[\w+/]{86}==$/.test(text))]).toEqual([7, true])
})
