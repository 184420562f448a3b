import { randomBytes } from 'node:crypto'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { errorCodeOf, reasonOf } from '../../../system/system-errors.ts'
import { CliError, usageError } from '../../failures/cli-error.ts'

/**
 * Makes sure before anything is done that a state can be written at its end.
 * @throws CliError of code `usage` naming what is in the way
 */
export async function checkStateFile(path: string): Promise<void> {
  const existing = await stat(path).catch(() => undefined)
  if (existing !== undefined && !existing.isFile()) throw usageError(`--export ${path}: this is no regular file`)
  const draft = draftOf(await targetOf(path))
  try {
    await (await open(draft, 'wx', 0o600)).close()
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
  const target = await targetOf(path)
  const draft = draftOf(target)
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(`${JSON.stringify(state)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    throw new CliError('state-unwritable', `The state cannot be written to ${path}: ${folderReasonOf(error)}`, {
      hint: 'What was there before is still there',
      cause: error,
    })
  }
}

interface StateGaps {
  /** Each names an upload and what is wrong with its file. */
  readonly missing?: readonly { readonly reason: string }[]
}

/**
 * Makes sure that a state that was written lacks no file.
 * @throws CliError of code `state-unwritable` naming the first that is damaged
 */
export function expectComplete(path: string, { missing = [] }: StateGaps): void {
  const [first] = missing
  if (first === undefined) return
  const others = missing.length > 1 ? `, and ${missing.length - 1} more` : ''
  throw new CliError('state-unwritable', `The state in ${path} is not complete: ${first.reason}${others}`, {
    hint: 'All the rest is in it; its "missing" lists every file that is not',
  })
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

/** The file itself, also where a link leads to it. */
function targetOf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path))
}

/** Next to the file, so that it can take its place at once, under a name that nothing else has and none can foresee. */
function draftOf(target: string): string {
  return `${target}.new-${randomBytes(8).toString('hex')}`
}

function folderReasonOf(error: unknown): string {
  return errorCodeOf(error) === 'ENOENT' ? 'there is no such folder' : reasonOf(error)
}
