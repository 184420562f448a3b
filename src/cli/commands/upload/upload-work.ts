import { type Client, UnknownOutcomeError, type Upload, type UploadOptions } from '../../../index.ts'
import { failedRecord, notStartedRecord } from '../../batch/records.ts'
import { isAbort } from '../../failures/exit-codes.ts'
import type { Journal, JournalItem } from '../../journal/journal.ts'
import type { ItemRecord, Reporter } from '../../output/events.ts'
import type { Context } from '../../run/context.ts'
import { type GracefulUpload, runWithGrace } from './graceful-upload.ts'
import { createHasher, findEarlier, journalName, stillUnknown } from './resume.ts'
import { spoolStdin, type UploadLimits } from './stdin-file.ts'
import type { UploadItem } from './upload-items.ts'

export interface UploadTools {
  readonly client: Client
  readonly context: Context
  readonly journal: Journal
  /** Whether to upload files again that earlier runs have stored. */
  readonly force: boolean
  /** File name for standard input. */
  readonly name: string
  readonly limits: UploadLimits
}

/**
 * Uploads one item, or skips it if an earlier run has stored it.
 * @param halted aborts when the batch stops early
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
  /** The file to read. */
  readonly path: string
  /** Its size, if known before reading. */
  readonly bytes?: number | undefined
  readonly halted: AbortSignal
  /** Its place in the batch, from 0. */
  readonly index: number
}

async function uploadFile(
  file: string,
  { path, bytes, halted, index }: Place,
  tools: UploadTools,
): Promise<ItemRecord> {
  const { context, journal, force } = tools
  context.reporter.report({ type: 'item-started', index, name: file === '-' ? tools.name : file, total: bytes })
  const work = async (grace: GracefulUpload): Promise<ItemRecord> => {
    const reading = new AbortController()
    const hash = createHasher(path, AbortSignal.any([grace.signal, reading.signal]))
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
        {
          grace,
          watch: reporting(index, context.reporter),
          entry: journal.item(name),
          hash,
          knownSlugs: journal.earlierSlugs,
          limits: tools.limits,
        },
        tools.client,
      )
      return { subject: { file }, status: 'uploaded', upload, error: null }
    } catch (error) {
      if (!isAbort(error)) return failedRecord({ file }, error, path)
      return grace.nothingSent() ? notStartedRecord({ file }) : failedRecord({ file }, error)
    } finally {
      reading.abort()
    }
  }
  return runWithGrace(context.interruption, work, halted)
}

type UploadWatch = Pick<UploadOptions, 'onEvent' | 'onProgress'>

/** Forwards events and progress to the reporter. */
function reporting(index: number, reporter: Reporter): UploadWatch {
  return {
    onEvent: (event) => reporter.report({ type: 'item-wire', index, event }),
    onProgress: ({ sent, total }) => reporter.report({ type: 'item-moved', index, bytes: sent, total }),
  }
}

interface Sending {
  readonly grace: GracefulUpload
  readonly watch: UploadWatch
  readonly entry: JournalItem
  readonly hash: () => Promise<string>
  readonly knownSlugs: readonly string[]
  readonly limits: UploadLimits
}

/** Hashes the content for the journal in parallel, while the upload waits for quota or is sent. */
async function send(
  path: string,
  { grace, watch, entry, hash, knownSlugs, limits }: Sending,
  client: Client,
): Promise<Upload> {
  let sha256 = ''
  const hashed = hash().then(
    (value) => {
      sha256 = value
      entry.hashed(value)
    },
    // If the file cannot be read, sending it reports the error.
    () => {},
  )
  try {
    const upload = await client.upload(path, {
      signal: grace.signal,
      onState: grace.onState,
      ...watch,
      knownSlugs,
      ...limits,
      onIntent: (intent) => entry.intend(intent, sha256),
    })
    entry.done(upload)
    await hashed
    return upload
  } catch (error) {
    // The service never stores an incomplete body; a complete one may have been stored.
    const failure = isAbort(error) && grace.allSent() ? mayBeStored(error) : error
    if (failure instanceof UnknownOutcomeError) entry.unknown()
    else entry.notStored()
    throw failure
  }
}

function mayBeStored(cause: unknown): UnknownOutcomeError {
  return new UnknownOutcomeError('Interrupted after the whole file was sent: it may have been stored', {
    hint: 'Run the same command again to find out',
    cause,
  })
}
