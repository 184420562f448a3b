import { randomUUID } from 'node:crypto'
import { realpath, rm, stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { moveOver } from '../../../system/files.ts'
import { reasonOf } from '../../../system/system-errors.ts'
import { CliError, usageError } from '../../failures/cli-error.ts'

/**
 * The file of a flag, which is written at the end: JSON, readable only by the owner. If writing fails, an existing file
 * stays unchanged; if it cannot be replaced, the draft stays beside it.
 *
 * @returns writes it; throws CliError of code `state-unwritable`
 * @throws CliError of code `usage`, before the emulator starts, if it cannot be written
 */
export async function openStateFile(flag: 'export' | 'har', path: string): Promise<(state: unknown) => Promise<void>> {
  const existing = await stat(path).catch(() => undefined)
  if (existing !== undefined && !existing.isFile()) throw usageError(`--${flag} ${path}: not a regular file`)
  // A file that is a link is written where it leads.
  const target = await realpath(path).catch(() => resolve(path))
  // In the same folder, so that a rename replaces the file at once; nobody can predict the name.
  const draft = `${target}.new-${randomUUID()}`
  const writeDraft = (text: string) => writeFile(draft, text, { flag: 'wx', mode: 0o600, flush: true })
  try {
    await writeDraft('')
    await rm(draft)
  } catch (error) {
    throw usageError(`--${flag} ${path} cannot be written: ${reasonOf(error)}`)
  }
  const unwritable = (cause: unknown, left: string) =>
    new CliError('state-unwritable', `--${flag} ${path} cannot be written: ${reasonOf(cause)}; ${left}`, { cause })
  return async (state) => {
    await writeDraft(`${JSON.stringify(state)}\n`).catch(async (error: unknown) => {
      await rm(draft, { force: true }).catch(() => {})
      throw unwritable(error, 'an existing file was not changed')
    })
    await moveOver(draft, target).catch((error: unknown) => {
      throw unwritable(error, `it is in ${draft}`)
    })
  }
}
