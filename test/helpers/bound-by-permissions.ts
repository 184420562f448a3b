import { spawnSync } from 'node:child_process'
import { test } from 'vitest'

/** Two capabilities let root read all files on Linux; without them file modes apply to root too. */
const powers = '-dac_override,-dac_read_search'
const setpriv = ['setpriv', `--bounding-set=${powers}`, `--inh-caps=${powers}`] as const
const isRoot = process.getuid?.() === 0

/** The start of a command line to which file modes apply; empty unless the user is root. */
export const boundByPermissions: readonly string[] = isRoot ? setpriv : []

/** A test of file modes; skipped for a root that cannot drop its privileges, as on macOS. */
export const permissionTest = test.skipIf(isRoot && spawnSync('env', [...setpriv, 'true']).status !== 0)
