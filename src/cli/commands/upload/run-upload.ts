import { basename } from 'node:path'
import { provingClient } from '../../../client/client.ts'
import { NoProofError } from '../../../client/errors.ts'
import type { Upload } from '../../../index.ts'
import { type LinkFormat, uploadLink } from '../../../protocol/upload-links.ts'
import { isAbort } from '../../../system/signals.ts'
import { adoptUploads, compareWithStore } from '../../../uploads/known.ts'
import { ListSearch } from '../../../uploads/list-search.ts'
import { MatchResolver } from '../../../uploads/match-resolver.ts'
import { Reconciler, unconfirmed } from '../../../uploads/reconciler.ts'
import { runBatch } from '../../batch/batch.ts'
import { forecastBy, forecastByLedger, type Pace } from '../../batch/forecast.ts'
import type { Credentials } from '../../config/credentials.ts'
import { readSetting } from '../../config/settings.ts'
import { type Context, LONG_PATIENCE_MS, openSiteAccess } from '../../context/context.ts'
import { openUploadStore } from '../../context/uploads.ts'
import { exitCodeOfBatch } from '../../failures/exit-codes.ts'
import { printable } from '../../format/format.ts'
import type { ItemRecord } from '../../output/events.ts'
import { notes } from '../../output/notes.ts'
import { isDone, notStartedRecord } from '../../output/records.ts'
import { type UploadTools, uploadItem } from './send-file.ts'
import { bytesToSend, collectItems, isOnDisk, type UploadItem, type UploadOptions, withSizes } from './upload-items.ts'

/** Uploads all files; one failure does not stop the others. */
export async function runUpload(options: UploadOptions, context: Context): Promise<number> {
  const { reporter } = context
  const limits = {
    maxFileSizeBytes: readSetting(context.settings(), 'max_file_size'),
    anyType: options.anyType === true,
  }
  const { items: named, leftOut } = await collectItems(options, context)
  const credentials = await context.credentials()
  if (options.dryRun) {
    const { planUpload } = await import('./plan-upload.ts')
    return await planUpload({ items: named, leftOut }, limits, options, credentials, context)
  }
  if (leftOut.length > 0) reporter.report({ type: 'media-left-out', files: leftOut })
  const items = await withSizes(named)
  const store = await openUploadStore(options, credentials, context)
  const choice = { uploadBytesPerSecond: options.bwlimit, ledgerPatienceMs: LONG_PATIENCE_MS }
  const client = provingClient(await context.client(choice))
  const account = { store, client, context }
  const transfers = context.transfers.begin(bytesToSend(items))
  reporter.report({ type: 'batch-started', transfers, progress: options.progress })
  await using matches = new MatchResolver(account, () => openSiteAccess(context))
  const reconciler = new Reconciler({ ...account, matches })
  try {
    if (!options.force) await adoptUploads(account)
    const sizes = items.flatMap(({ problem, bytes }) => (problem === undefined ? [bytes] : []))
    const leftOpen = options.force ? new Set<number>() : await reconciler.earlier(sizes)
    await using opener = items.every(isOnDisk)
      ? undefined
      : (await import('./open-item.ts')).createOpener(context, limits, leftOpen)
    const comparison = options.force ? undefined : await compareWithStore(items, account)
    const tools = {
      ...account,
      comparison,
      matches,
      reconciler,
      listSearch: new ListSearch({ ...account, matches }),
      limits,
      opener,
      isRemembered: options.journal !== false,
    }
    return await uploadAll(items, options, credentials, tools)
  } catch (error) {
    if (isAbort(error) && options.journal !== false) context.note(notes.again)
    throw error instanceof NoProofError ? unconfirmed(error) : error
  } finally {
    await reconciler.close()
    await store.close()
  }
}

async function uploadAll(
  items: readonly UploadItem[],
  options: UploadOptions,
  credentials: Credentials,
  tools: UploadTools,
): Promise<number> {
  const { context, comparison } = tools
  const { note, warn, reporter, interruption, transfers } = context
  const fleet = await context.fleet()
  let open = items.length
  const isLeftOut = (index: number) => items[index]?.problem !== undefined || comparison?.isPresent(index) === true
  const planned = (sizes: readonly number[], pace: Pace) =>
    forecastByLedger(sizes, { ...pace, jobs: options.jobs, rows: fleet?.counted() }, credentials, context)
  transfers.expect(forecastBy(planned, context.clock, isLeftOut))
  // A file matters more than its link.
  interruption.redirect((cause) => {
    const isLeft = cause === 'output-closed'
    if (isLeft && open > 0 && interruption.cause() === undefined) warn({ message: notes.readerGone(open) })
    return isLeft
  })
  const records = await runBatch<UploadItem, ItemRecord>({
    items,
    jobs: options.jobs,
    stopping: interruption.stopping,
    isRefused: ({ problem }) => problem !== undefined,
    isHeld: ({ stream, bytes }) => stream === 'pipe' || tools.reconciler.isHeld(bytes),
    work: (item, halted, index) => uploadItem(item, index, halted, tools),
    continues: (record) => !record.error?.stopsBatch && !(options.failFast && !isDone(record)),
    notStarted: ({ file }, stopper) => notStartedRecord({ file }, stopper?.error),
    onResult: (record, index) => {
      open -= 1
      reporter.report({ type: 'item-finished', index, record, link: linkOf(record, items[index], options) })
    },
  })
  const goesOn = ({ status, error }: ItemRecord) => status === 'not_started' || (records.length > 1 && error?.retryable)
  const isBrokenOff = records.some(goesOn)
  if (options.journal !== false && isBrokenOff) note(notes.again)
  if (options.copy || options.open) {
    const { copyAndOpen } = await import('./copy-and-open.ts')
    const links = records.map((record, index) => linkOf(record, items[index], options))
    await copyAndOpen(records, links, options, context)
  }
  return exitCodeOfBatch(records)
}

function linkOf({ upload }: ItemRecord, item: UploadItem | undefined, { format }: UploadOptions): string | null {
  if (upload === null || item === undefined) return null
  return formatLink(upload, format, item.name ?? basename(item.file))
}

/** The text to paste for an upload. @param name the local file name */
export function formatLink(upload: Upload, format: LinkFormat, name: string): string {
  const { slug, url, direct_url, mime_type } = upload
  const shown = { slug: printable(slug), url: printable(url), direct_url: printable(direct_url), mime_type }
  return uploadLink(shown, format, printable(name))
}
