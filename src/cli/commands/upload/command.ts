import { basename } from 'node:path'
import type { PlanPart } from '../../../internal.ts'
import { runBatch } from '../../batch/batch.ts'
import { isPaced } from '../../batch/batch-plan.ts'
import { forecastBatch } from '../../batch/forecast.ts'
import { isDone, isNotStarted, notStartedRecord, stopsBatch } from '../../batch/records.ts'
import type { Credentials } from '../../config/connection.ts'
import { readSetting } from '../../config/settings.ts'
import { openUploadJournal } from '../../journal/open-journal.ts'
import type { ItemRecord } from '../../output/events.ts'
import type { CommandResult } from '../../run/command.ts'
import type { Context } from '../../run/context.ts'
import { collectItems } from './inputs/upload-inputs.ts'
import { bytesOf, sizesOf, type UploadItem, withSizes } from './inputs/upload-items.ts'
import { formatLink } from './links/link-formats.ts'
import { adoptRecord } from './once/adopt-record.ts'
import { compareWithRecord } from './once/known-content.ts'
import { createListLook } from './once/list-look.ts'
import { createRunLookalikes } from './once/lookalikes.ts'
import { createReconciler } from './once/resume.ts'
import { createSharedContents } from './once/shared-contents.ts'
import { createRemoteFiles } from './sources/remote-files.ts'
import type { UploadCommandOptions } from './upload-flags.ts'
import { createForecaster } from './upload-forecast.ts'
import type { UploadTools } from './upload-tools.ts'
import { uploadItem } from './upload-work.ts'

export { register } from './upload-flags.ts'

/** Uploads all files; one failure does not stop the others. */
export async function run(options: UploadCommandOptions, context: Context): Promise<CommandResult> {
  const { reporter } = context
  const limits = { maxFileSizeBytes: readSetting(context.settings(), 'max_file_size'), anyType: options.anyType }
  const { items: named, leftOut } = await collectItems(options, context)
  const credentials = await context.credentials()
  if (options.dryRun) {
    const { showPlan } = await import('./plan-command.ts')
    return await showPlan({ items: named, leftOut }, options, credentials, context)
  }
  if (leftOut.length > 0) reporter.report({ type: 'media-left-out', files: leftOut })
  const items = await withSizes(named)
  const journal = openUploadJournal(options, credentials, context)
  const fleet = options.journal === false ? undefined : await context.fleet(credentials)
  const client = await context.client({
    credentials,
    reserve: options.reserve,
    uploadBytesPerSecond: options.bwlimit,
  })
  const contents = fleet?.openContents(() => reporter.report({ type: 'note', note: { type: 'runners-unknown' } }))
  const onSettling = (ms: number) => reporter.report({ type: 'note', note: { type: 'runners-tell', ms } })
  const shared = contents && createSharedContents(contents, journal, context.clock, onSettling)
  reporter.report({
    type: 'batch-started',
    total: items.length,
    transfer: { verb: 'uploaded', jobs: options.jobs, bytes: bytesOf(items), progress: options.progress },
  })
  const { baseUrl } = credentials
  const account = { journal, client, context, shared }
  await using lookalikes = createRunLookalikes(journal, context, shared)
  const listLook = shared && createListLook({ client, journal, lookalikes, shared, context })
  const reconciler = createReconciler({ ...account, lookalikes })
  await using remoteFiles = createRemoteFiles(context)
  const leftOpen = new Set(options.force ? [] : journal.unsettled().flatMap(({ intent }) => intent.size))
  try {
    if (!options.force) await adoptRecord(account)
    if (!options.force) await reconciler.earlier(sizesOf(items))
    const comparison = options.force ? undefined : await compareWithRecord(items, account)
    const tools = {
      ...account,
      comparison,
      lookalikes,
      listLook,
      reconciler,
      limits,
      remoteFiles,
      leftOpen,
      baseUrl,
    }
    return await uploadAll(items, options, credentials, tools)
  } finally {
    await reconciler.close()
    await contents?.close()
    journal.close()
  }
}

async function uploadAll(
  items: readonly UploadItem[],
  options: UploadCommandOptions,
  credentials: Credentials,
  tools: UploadTools,
): Promise<CommandResult> {
  const { context, comparison } = tools
  const { reporter, interruption } = context
  const fleet = await context.fleet(credentials)
  const forecast = (bytes: readonly number[]) =>
    forecastBatch(bytes, { ...options, lines: fleet?.counted() }, credentials, context)
  const left = new Set(items.flatMap(({ problem }, index) => (problem || comparison?.isPresent(index) ? [] : [index])))
  const bytesLeft = () => [...left].map((index) => items[index]?.bytes ?? 0)
  const reportExpectedEnd = createForecaster(() => endOf(forecast(bytesLeft()), options.bwlimit), context)
  reportExpectedEnd(left.size)
  let open = items.length
  interruption.outliveReader(() => {
    if (open === 0) return
    reporter.report({ type: 'warning', warning: { type: 'output-closed', filesLeft: open } })
  })
  const records = await runBatch<UploadItem, ItemRecord>({
    items,
    jobs: options.jobs,
    stopping: interruption.stopping,
    isHeld: ({ stream, bytes }) => stream === 'pipe' || tools.reconciler.isHeld(bytes),
    work: (item, halted, index) => uploadItem(item, tools, halted, index),
    continues: (record) => !stopsBatch(record) && !(options.failFast && !isDone(record)),
    notStarted: ({ file }) => notStartedRecord({ file }),
    onResult: (record, index) => {
      open -= 1
      reporter.report({ type: 'item-finished', index, record, link: linkOf(record, items[index], options) })
      if (left.delete(index)) reportExpectedEnd(left.size)
    },
  })
  reporter.report({ type: 'batch-ended', records })
  const isBrokenOff = records.some(isNotStarted) || (interruption.stopping.aborted && !records.every(isDone))
  if (options.journal !== false && isBrokenOff) {
    reporter.report({ type: 'note', note: { type: 'run-again' } })
  }
  if (options.copy || options.open) {
    const { copyAndOpen } = await import('./links/copy-and-open.ts')
    const links = records.map((record, index) => linkOf(record, items[index], options))
    await copyAndOpen({ records, links }, options, context)
  }
  return { type: 'batch', items: records, errorOnNoTransfer: options.errorOnNoTransfer }
}

/** The end is known only if a quota or a rate sets the pace. */
function endOf(parts: readonly PlanPart[], bwlimit: number | undefined): number | undefined {
  return bwlimit !== undefined || parts.some(isPaced) ? parts.at(-1)?.endsAt : undefined
}

function linkOf({ upload }: ItemRecord, item: UploadItem | undefined, { format }: UploadCommandOptions): string | null {
  if (upload === null || item === undefined) return null
  return formatLink(upload, format, item.name ?? basename(item.file))
}
