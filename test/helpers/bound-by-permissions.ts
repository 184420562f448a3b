import { spawnSync } from 'node:child_process'
import { test } from 'vitest'

/** Linux's root reads all files by two capabilities; without them the modes of its own files bind it as they bind a user. */
const setpriv = [
  'setpriv',
  '--bounding-set=-dac_override,-dac_read_search',
  '--inh-caps=-dac_override,-dac_read_search',
]

const isRoot = process.getuid?.() === 0

/** What stands before a command so that the modes of files bind it; empty for a user whom they bind anyway. */
export const boundByPermissions: readonly string[] = isRoot ? setpriv : []

/** A test of file modes; left out for a root that cannot lay its privilege down, as on macOS. */
export const permissionTest = test.skipIf(isRoot && !works([...setpriv, 'true']))

function works([program = '', ...words]: readonly string[]): boolean {
  return spawnSync(program, words).status === 0
}
