import { relative } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, vi } from 'vitest'
import { writeNote } from './watchdog/notes.ts'

/** One seed for all, so that a run says the same tomorrow; SEED=… looks elsewhere, as does a larger number of runs. */
fc.configureGlobal({ seed: Number(process.env['SEED'] ?? 20_261_121) })

/** What steers programs of a user in their environment must not steer those of the tests; a contract's target is for them. */
const steering = /^(FH_(?!CONTRACT_)|XDG_|CI$|NO_COLOR$|FORCE_COLOR$|CLICOLOR|NODE_(OPTIONS|EXTRA_CA_CERTS)$)|_proxy$/i
for (const name of Object.keys(process.env)) if (steering.test(name)) delete process.env[name]

// Files that share a process share no modules, so that each may replace those it imports.
vi.resetModules()

beforeEach(({ task }) => {
  const file = relative(process.cwd(), task.file.filepath)
  writeNote({ test: `${file} > ${task.fullTestName}`, timeoutMs: task.timeout })
})

afterEach(() => writeNote(null))
