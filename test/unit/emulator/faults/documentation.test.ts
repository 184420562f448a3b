import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { faultTypes } from '../../../../emulator/faults/fault.ts'
import { callControl } from '../control/control-call.ts'
import { emulated } from '../emulated.ts'

const rows = Object.entries(faultTypes).map(([type, { required, optional, served, over_socket, in_process }]) => {
  const parameters = [...required.map((name) => `**${name}**`), ...optional].join(', ')
  return `| \`${type}\` | ${parameters} | ${served ? 'yes' : 'no'} | ${over_socket} | ${in_process} |`
})

/** The rows of a table in docs/control-api.md, without its head. */
function documented(name: string): readonly string[] {
  const text = readFileSync(new URL('../../../../docs/control-api.md', import.meta.url), 'utf8')
  const [, table = ''] = new RegExp(`<!-- ${name} -->\\n(.*)\\n<!-- /${name} -->`, 's').exec(text) ?? []
  return table.split('\n').slice(2)
}

test('docs/control-api.md describes every fault type and its parameters as the code does', () => {
  expect(documented('faults')).toEqual(rows)
  const parameters = Object.entries(faultTypes).flatMap(([type, each]) =>
    Object.entries(each.parameters).map(([name, means]) => `| \`${type}\` | \`${name}\` | ${means} |`),
  )
  expect(documented('fault-parameters')).toEqual(parameters)
})

test('the control API lists every fault type, and the capabilities include faults and the report', async () => {
  const emulator = await emulated()
  const { body } = await callControl(emulator, 'GET', '/faults/types')
  expect(body).toEqual(emulator.control.faults.types())
  expect(emulator.control.faults.types().map(({ type }) => type)).toEqual(Object.keys(faultTypes))
  expect(emulator.control.health().capabilities).toEqual(expect.arrayContaining(['faults', 'requests', 'report']))
})
