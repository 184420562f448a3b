import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { faultTypes } from '../../../../emulator/faults/fault.ts'

const rows = Object.entries(faultTypes).map(([type, { required, served, over_socket, ...info }]) => {
  const named = (name: string) => (required.includes(name) ? `**${name}**` : name)
  const parameters = Object.entries(info.parameters)
    .map(([name, means]) => `${named(name)}: ${means}`)
    .join('; ')
  return `| \`${type}\` | ${parameters} | ${served ? 'yes' : 'no'} | ${over_socket} |`
})

test('docs/control-api.md describes every fault type and its parameters as the code does', () => {
  const text = readFileSync(new URL('../../../../docs/control-api.md', import.meta.url), 'utf8')
  const [, table = ''] = /<!-- faults -->\n(.*)\n<!-- \/faults -->/s.exec(text) ?? []
  expect(table.split('\n').slice(2)).toEqual(rows)
})
