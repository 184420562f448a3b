import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { faultTypes } from '../../../../emulator/faults/fault.ts'
import { callControl } from '../control/control-call.ts'
import { emulated } from '../emulated.ts'

const rows = Object.entries(faultTypes).map(([type, { required, served, over_socket, in_process, ...info }]) => {
  const named = (name: string) => (required.includes(name) ? `**${name}**` : name)
  const parameters = Object.entries(info.parameters)
    .map(([name, means]) => `${named(name)}: ${means}`)
    .join('; ')
  return `| \`${type}\` | ${parameters} | ${served ? 'yes' : 'no'} | ${over_socket} | ${in_process} |`
})

test('docs/control-api.md describes every fault type and its parameters as the code does', () => {
  const text = readFileSync(new URL('../../../../docs/control-api.md', import.meta.url), 'utf8')
  const [, table = ''] = /<!-- faults -->\n(.*)\n<!-- \/faults -->/s.exec(text) ?? []
  expect(table.split('\n').slice(2)).toEqual(rows)
})

test('the control API lists every fault type, and the capabilities include faults and the report', async () => {
  const emulator = await emulated()
  const { body } = await callControl(emulator, 'GET', '/faults/types')
  expect(body).toEqual(emulator.control.faults.types())
  expect(emulator.control.faults.types().map(({ type }) => type)).toEqual(Object.keys(faultTypes))
  expect(emulator.control.health().capabilities).toEqual(expect.arrayContaining(['faults', 'requests', 'report']))
})
