import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStateFile } from '../../../../../src/cli/commands/emulate/state-file.ts'
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts'

test('a state file that is a link is written at its target, and stays a link', async () => {
  const place = temporaryFolder()
  writeFileSync(join(place, 'real.json'), '')
  symlinkSync(join(place, 'real.json'), join(place, 'state.json'))
  const write = await openStateFile('export', join(place, 'state.json'))
  await write([])
  expect(readFileSync(join(place, 'real.json'), 'utf8')).toBe('[]\n')
  expect(readdirSync(place).sort()).toEqual(['real.json', 'state.json'])
})
