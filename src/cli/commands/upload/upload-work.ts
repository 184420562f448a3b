import { type Client, UnknownOutcomeError, type Upload } from '../../../index.ts'
import { failedRecord, notStartedRecord } from '../../batch/records.ts'
import { isAbort } from '../../failures/exit-codes.ts'
import type { Journal, JournalItem } from '../../journal/journal.ts'
import type { ItemRecord } from '../../output/events.ts'
import type { Reporter } from '../../output/reporter.ts'
import type { Context } from '../../run/context.ts'
import { type Flight, fly } from './graceful-upload.ts'
import { createHasher, findEarlier, journalName, stillUnknown } from './resume.ts'
import { spoolStdin, type UploadLimits } from './stdin-file.ts'
import type { UploadItem } from './upload-items.ts'

export interface UploadTools {
  readonly client: Client
  readonly context: Context
  readonly journal: Journal
  /** Uploads again what earlier runs have stored. */
  readonly force: boolean
  /** Of standard input. */
  readonly name: string
  readonly limits: UploadLimits
}

/**
 * Uploads one item, or skips it where an earlier run has stored it.
 * @param halted aborts when the batch ends before its time
 */
export async function uploadItem(
  { file, problem, bytes }: UploadItem,
  tools: UploadTools,
  halted: AbortSignal,
  index: number,
): Promise<ItemRecord> {
  if (problem !== undefined) return failedRecord({ file }, problem)
  if (file !== '-') return await uploadFile(file, { path: file, bytes, halted, index }, tools)
  const { io, interruption } = tools.context
  try {
    const { name, limits } = tools
    await using spooled = await spoolStdin(io.stdin, { name, ...limits, signal: interruption.stopping })
    return await uploadFile(file, { path: spooled.path, halted, index }, tools)
  } catch (error) {
    return failedRecord({ file }, error, tools.name)
  }
}

interface Place {
  /** Where the file is read. */
  readonly path: string
  /** What it weighs, where that is known before it is read. */
  readonly bytes?: number | undefined
  readonly halted: AbortSignal
  /** Among the items of the batch. */
  readonly index: number
}

async function uploadFile(
  file: string,
  { path, bytes, halted, index }: Place,
  tools: UploadTools,
): Promise<ItemRecord> {
  const { context, journal, force } = tools
  context.reporter.report({ type: 'item-started', index, name: file === '-' ? tools.name : file, total: bytes })
  const work = async (ownFlight: Flight): Promise<ItemRecord> => {
    const flight = toldOf(ownFlight, index, context.reporter)
    const reading = new AbortController()
    const hash = createHasher(path, AbortSignal.any([flight.signal, reading.signal]))
    try {
      const name = journalName(file, tools.name)
      if (force) journal.drop(name)
      const earlier = await findEarlier(journal, { name, path, hash })
      if (earlier.type === 'unknown') return failedRecord({ file }, stillUnknown(), path)
      if (earlier.type === 'stored') {
        return { subject: { file }, status: 'skipped', upload: earlier.entry.upload, error: null }
      }
      const upload = await send(
        path,
        { flight, entry: journal.item(name), hash, knownSlugs: journal.earlierSlugs, limits: tools.limits },
        tools.client,
      )
      return { subject: { file }, status: 'uploaded', upload, error: null }
    } catch (error) {
      if (!isAbort(error)) return failedRecord({ file }, error, path)
      return flight.isGrounded() ? notStartedRecord({ file }) : failedRecord({ file }, error)
    } finally {
      reading.abort()
    }
  }
  return fly(context.interruption, work, halted)
}

/** A flight whose course the reporter is told of. */
function toldOf(flight: Flight, index: number, reporter: Reporter): Flight {
  return {
    ...flight,
    onEvent(event) {
      flight.onEvent(event)
      reporter.report({ type: 'item-wire', index, event })
    },
    onProgress(progress) {
      flight.onProgress(progress)
      reporter.report({ type: 'item-moved', index, bytes: progress.sent, total: progress.total })
    },
  }
}

interface Sending {
  readonly flight: Flight
  readonly entry: JournalItem
  readonly hash: () => Promise<string>
  readonly knownSlugs: readonly string[]
  readonly limits: UploadLimits
}

/** The content is read for the journal while the upload waits for its turn, or is on its way: nobody waits for that. */
async function send(
  path: string,
  { flight, entry, hash, knownSlugs, limits }: Sending,
  client: Client,
): Promise<Upload> {
  const { signal, onProgress, onEvent } = flight
  let sha256 = ''
  const hashed = hash().then(
    (value) => {
      sha256 = value
      entry.hashed(value)
    },
    // What cannot be read is told of by whoever reads it to send it.
    () => {},
  )
  try {
    const upload = await client.upload(path, {
      signal,
      onProgress,
      onEvent,
      knownSlugs,
      ...limits,
      onIntent: (intent) => entry.intend(intent, sha256),
    })
    entry.done(upload)
    await hashed
    return upload
  } catch (error) {
    // A body that is not complete is never stored; of a complete one nobody knows.
    const failure = isAbort(error) && flight.isComplete() ? mayBeStored(error) : error
    if (failure instanceof UnknownOutcomeError) entry.unknown()
    else entry.notStored()
    throw failure
  }
}

function mayBeStored(cause: unknown): UnknownOutcomeError {
  return new UnknownOutcomeError('Interrupted after the whole file was sent: it may have been stored', {
    hint: 'The same command again finds out',
    cause,
  })
}
