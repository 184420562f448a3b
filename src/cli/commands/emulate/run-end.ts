import { randomBytes } from 'node:crypto'
import { open, realpath, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { EtiquetteKind, EtiquetteReport, Snapshot } from '../../../../emulator/index.ts'
import { counted } from '../../../protocol/quantities.ts'
import { moveOver } from '../../../system/move-over.ts'
import { errorCodeOf, reasonOf } from '../../../system/system-errors.ts'
import { CliError, usageError } from '../../failures/cli-error.ts'

/**
 * Checks, before the emulator starts, that the file of a flag can be written at the end.
 * @throws CliError of code `usage` if not
 */
export async function checkStateFile(flag: 'export' | 'har', path: string): Promise<void> {
  const existing = await stat(path).catch(() => undefined)
  if (existing !== undefined && !existing.isFile()) throw usageError(`--${flag} ${path}: not a regular file`)
  const draft = draftOf(await targetOf(path))
  try {
    await (await open(draft, 'wx', 0o600)).close()
    await rm(draft)
  } catch (error) {
    throw usageError(
      `--${flag} ${path} cannot be written: ${folderReasonOf(error)}`,
      `Check the folder ${dirname(draft)}`,
    )
  }
}

/**
 * Writes a state, or the requests of a run, as JSON, readable only by the owner. If writing fails, an existing file
 * stays unchanged; if it cannot be replaced, the draft stays beside it.
 * @throws CliError of code `state-unwritable`
 */
export async function writeStateFile(path: string, state: unknown, what = 'state'): Promise<void> {
  const target = await targetOf(path)
  const draft = draftOf(target)
  const unwritable = (cause: unknown, hint: string) =>
    new CliError('state-unwritable', `Cannot write the ${what} to ${path}: ${folderReasonOf(cause)}`, { hint, cause })
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(`${JSON.stringify(state)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    throw unwritable(error, 'An existing file was not changed')
  }
  await moveOver(draft, target).catch((error: unknown) => {
    throw unwritable(error, `It is in ${draft}`)
  })
}

/**
 * Checks that a written state contains all files.
 * @throws CliError of code `state-unwritable` naming the first damaged file
 */
export function expectComplete(path: string, { missing = [] }: Pick<Snapshot, 'missing'>): void {
  const [first] = missing
  if (first === undefined) return
  const others = missing.length > 1 ? `, and ${missing.length - 1} more` : ''
  throw new CliError('state-unwritable', `The state in ${path} is incomplete: ${first.reason}${others}`, {
    hint: 'Everything else is in it; its "missing" lists the files that are not',
  })
}

/**
 * Runs something, then saves the state even if the run failed.
 * @param tell called with the error of saving if the run has failed too
 * @returns the exit code of the run
 * @throws the error of the run, else the error of saving
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

/** The path without links. */
function targetOf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path))
}

/** In the same folder, so that a rename replaces the file atomically; the random name cannot be predicted. */
function draftOf(target: string): string {
  return `${target}.new-${randomBytes(8).toString('hex')}`
}

function folderReasonOf(error: unknown): string {
  return errorCodeOf(error) === 'ENOENT' ? 'the folder does not exist' : reasonOf(error)
}

const violationPhrases: Readonly<Record<EtiquetteKind, string>> = {
  before_retry_after: 'came before Retry-After had passed',
  without_remaining: 'cost more than X-RateLimit-Remaining had left',
  key_in_query: 'had the API key in the query',
  duplicate_upload: 'stored the same bytes again',
  wasted_units: 'cost units without effect',
}

export function clientFailures({ findings }: Pick<EtiquetteReport, 'findings'>): readonly CliError[] {
  return findings.map(({ kind, count, units, advice, requests }) => {
    const [first] = requests
    const example = first === undefined ? '' : `, such as ${first.method} ${first.endpoint} at ${first.at}`
    const spent = units === 0 ? '' : ` (${counted(units, 'unit')})`
    const message = `${counted(count, 'request')} ${violationPhrases[kind]}${spent}${example}`
    return new CliError('client-misbehaved', message, { hint: advice })
  })
}
