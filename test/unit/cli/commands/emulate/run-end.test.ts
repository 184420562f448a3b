import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkStateFile, writeStateFile } from '../../../../../src/cli/commands/emulate/run-end.ts'
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts'

test('a link at the name of a draft is neither followed nor removed', async () => {
  const place = temporaryFolder()
  const path = join(place, 'state.json')
  writeFileSync(join(place, 'precious'), 'precious')
  symlinkSync(join(place, 'precious'), `${path}.new-${process.pid}`)
  await checkStateFile('export', path)
  await writeStateFile(path, { a: 1 })
  expect(readFileSync(join(place, 'precious'), 'utf8')).toBe('precious')
  expect(readdirSync(place).sort()).toEqual(['precious', 'state.json', `state.json.new-${process.pid}`])
  expect(readFileSync(path, 'utf8')).toBe('{"a":1}\n')
})

test('a state file that is a link is written at its target, and stays a link', async () => {
  const place = temporaryFolder()
  writeFileSync(join(place, 'real.json'), '')
  symlinkSync(join(place, 'real.json'), join(place, 'state.json'))
  await writeStateFile(join(place, 'state.json'), [])
  expect(readFileSync(join(place, 'real.json'), 'utf8')).toBe('[]\n')
  expect(readdirSync(place).sort()).toEqual(['real.json', 'state.json'])
})
