import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { CliError, usageError } from '../cli-error.ts'
import { errorCodeOf, reasonOf } from '../reason.ts'

/**
 * Makes sure before anything is done that a state can be written at its end.
 * @throws CliError of code `usage` naming what is in the way
 */
export async function checkStateFile(path: string): Promise<void> {
  const existing = await stat(path).catch(() => undefined)
  if (existing !== undefined && !existing.isFile()) throw usageError(`--export ${path}: this is no regular file`)
  const draft = await draftOf(path)
  try {
    await (await open(draft, 'w', 0o600)).close()
    await rm(draft)
  } catch (error) {
    throw usageError(
      `--export ${path} cannot be written: ${folderReasonOf(error)}`,
      `Check the folder ${dirname(draft)}`,
    )
  }
}

/**
 * Writes a state as JSON, for its owner's eyes: whole, or the file stays as it was.
 * @throws CliError of code `state-unwritable`
 */
export async function writeStateFile(path: string, state: unknown): Promise<void> {
  const draft = await draftOf(path)
  try {
    const file = await open(draft, 'w', 0o600)
    try {
      await file.writeFile(`${JSON.stringify(state)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, draft.slice(0, -draftEnding.length))
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    throw new CliError('state-unwritable', `The state cannot be written to ${path}: ${folderReasonOf(error)}`, {
      hint: 'What was there before is still there',
      cause: error,
    })
  }
}

/**
 * Runs something and saves the state afterwards, however it ended.
 * @param tell hears why the state could not be saved where the run's own failure is the one its caller has to hear of
 * @returns the exit code of the run
 * @throws what the run throws, else what saving throws
 */
export async function savedAtEnd(
  run: () => Promise<number>,
  save: () => Promise<void>,
  tell: (error: unknown) => void,
): Promise<number> {
  const code = await run().catch(async (error: unknown) => {
    await save().catch(tell)
    throw error
  })
  if (code === 0) await save()
  else await save().catch(tell)
  return code
}

const draftEnding = `.new-${process.pid}`

/** Beside the file itself, also where a link leads to it, so that it can take its place at once. */
async function draftOf(path: string): Promise<string> {
  return `${await realpath(path).catch(() => resolve(path))}${draftEnding}`
}

function folderReasonOf(error: unknown): string {
  return errorCodeOf(error) === 'ENOENT' ? 'there is no such folder' : reasonOf(error)
}
