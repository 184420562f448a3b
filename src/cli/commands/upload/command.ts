import { basename } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { PlanPart } from '../../../internal.ts'
import { runBatch } from '../../batch/batch.ts'
import { isPaced } from '../../batch/batch-plan.ts'
import { parseJobs } from '../../batch/jobs-flag.ts'
import { isDone, isNotStarted, notStartedRecord, stopsBatch } from '../../batch/records.ts'
import type { Credentials } from '../../config/connection.ts'
import { settingOption } from '../../config/global-flags.ts'
import { readSetting } from '../../config/settings.ts'
import { openUploadJournal } from '../../journal/open-journal.ts'
import type { ItemRecord, ProgressChoice } from '../../output/events.ts'
import type { CommandResult } from '../../run/command.ts'
import type { Context } from '../../run/context.ts'
import { adoptRecord } from './adopt-record.ts'
import { compareWithRecord } from './known-content.ts'
import { formatLink, type LinkFormat, linkFormats } from './links.ts'
import { createListLook } from './list-look.ts'
import { createRunLookalikes } from './lookalikes.ts'
import { createReconciler } from './resume.ts'
import { createSharedContents } from './shared-contents.ts'
import { createForecaster, forecastUploads } from './upload-forecast.ts'
import { collectItems, type UploadInputs } from './upload-inputs.ts'
import { bytesOf, type UploadItem, withSizes } from './upload-items.ts'
import type { UploadTools } from './upload-tools.ts'
import { uploadItem } from './upload-work.ts'

export interface UploadCommandOptions extends UploadInputs {
  readonly jobs: number
  readonly format: LinkFormat
  readonly failFast: boolean
  readonly errorOnNoTransfer: boolean
  /** Whether to show the plan and send nothing. */
  readonly dryRun: boolean
  /** Path of the journal; false for no journal, undefined for the default path. */
  readonly journal?: string | false | undefined
  /** Whether to upload files that the account has already. */
  readonly force: boolean
  /** Whether to skip the local check of file types. */
  readonly anyType: boolean
  /** Units of the hour and day quota to leave unused. */
  readonly reserve?: number | undefined
  readonly progress: ProgressChoice
  /** Whether to copy the links to the clipboard. */
  readonly copy: boolean
  /** Whether to open the pages in the browser. */
  readonly open: boolean
}

const defaults = {
  recursive: false,
  hidden: false,
  follow: false,
  null: false,
  include: [],
  exclude: [],
  // The burst window lets two uploads through at once (spec 8); more in parallel gain nothing.
  jobs: 2,
  format: 'url',
  failFast: false,
  errorOnNoTransfer: false,
  dryRun: false,
  progress: 'auto',
  force: false,
  anyType: false,
  copy: false,
  open: false,
} as const

export function register(command: Command, start: (options: UploadCommandOptions) => void): void {
  command
    .description('Upload files and print their links, one per line, in the order given.')
    .argument('[path...]', 'files, folders with -r, quoted patterns, or - for standard input')
    .option('-r, --recursive', 'upload the files in folders, except hidden files')
    .option('-L, --follow', 'follow links to folders')
    .option('--hidden', 'include hidden files in folders and patterns')
    .option('--include <glob>', 'of these, upload only files that match; repeatable', another)
    .option('--exclude <glob>', 'leave out files and folders that match; repeatable', another)
    .option('--files-from <file>', 'upload the files in this list, one path per line; - for standard input')
    .option('-0, --null', 'paths in that list end with NUL, as in the output of find -print0')
    .option('--name <name>', 'file name for standard input')
    .option('-j, --jobs <n>', `how many to upload at a time (${defaults.jobs})`, parseJobs)
    .addOption(new Option('--format <format>', 'what to print (url)').choices(linkFormats))
    .option('--copy', 'copy the printed links to the clipboard')
    .option('--open', 'open the pages in the browser, at most the first five')
    .option('--fail-fast', 'start no more uploads after the first failure')
    .option('-n, --dry-run', 'show what would be sent and when; send nothing')
    .option('--force', 'upload files that the account has already')
    .option('--journal <file>', 'file that records uploads, so that a later run can continue', parseJournal)
    .option('--no-journal', 'neither read nor write the journal and the record of uploads')
    .option('--reserve <units>', 'leave this many units of the hour and day quota unused', parseUnits)
    .addOption(settingOption('max_file_size'))
    .option('--any-type', 'send files of any type; the service decides')
    .addOption(new Option('--progress <how>', 'how to show progress (auto)').choices(['auto', 'bar', 'plain', 'none']))
    .option('--error-on-no-transfer', 'exit with 9 if nothing was uploaded')
    .addHelpText('after', examples)
    .action((paths: readonly string[], flags: Partial<UploadCommandOptions>) => {
      start({ ...defaults, ...flags, paths })
    })
}

const examples = `
After an interruption or a failure, run the same command again to continue.

Examples:
  fh upload photo.jpg
  fh upload -r holiday --format markdown
  fh upload 'shots/*.png' --json
  fh upload -r site --include '*.{png,jpg}' --exclude node_modules
  fh upload -n -r holiday
  find . -name '*.mp4' -print0 | fh upload --files-from - -0
  fh upload --copy --format html photo.jpg
  convert photo.tiff jpg:- | fh upload - --name photo.jpg`

/** Uploads all files; one failure does not stop the others. */
export async function run(options: UploadCommandOptions, context: Context): Promise<CommandResult> {
  const { reporter } = context
  const retries = readSetting(context.settings(), 'retries')
  const limits = { maxFileSizeBytes: readSetting(context.settings(), 'max_file_size'), anyType: options.anyType }
  const named = await collectItems(options, context)
  const credentials = await context.credentials()
  if (options.dryRun) {
    const { showPlan } = await import('./plan-command.ts')
    return await showPlan(named, options, credentials, context)
  }
  const items = await withSizes(named)
  const journal = openUploadJournal(options, credentials, context)
  const fleet = options.journal === false ? undefined : await context.fleet(credentials)
  const client = await context.client({ credentials, reserve: options.reserve, othersUpload: fleet !== undefined })
  const contents = fleet?.openContents(() => reporter.report({ type: 'note', note: { type: 'runners-unknown' } }))
  const shared = contents && createSharedContents(contents, journal, context.clock)
  reporter.report({
    type: 'batch-started',
    total: items.length,
    transfer: { verb: 'uploaded', jobs: options.jobs, bytes: bytesOf(items), progress: options.progress },
  })
  if (items.length === 0) reporter.report({ type: 'note', note: { type: 'no-files-found' } })
  const name = options.name ?? ''
  const account = { journal, client, context, shared }
  await using lookalikes = createRunLookalikes(journal, context, shared)
  const listLook = shared && createListLook({ client, journal, lookalikes, shared, context })
  const reconciler = createReconciler({ ...account, lookalikes })
  try {
    if (!options.force) await adoptRecord(account)
    if (!options.force) await reconciler.earlier()
    const comparison = options.force ? undefined : await compareWithRecord(items, name, account)
    const tools = { ...account, comparison, lookalikes, listLook, reconciler, retries, limits, name }
    return await uploadAll(items, options, credentials, tools)
  } finally {
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
  const forecast = (count: number) =>
    forecastUploads(count, { ...options, lines: fleet?.counted() }, credentials, context)
  const foresee = createForecaster((count) => endOf(forecast(count)), context)
  const left = new Set(items.flatMap(({ problem }, index) => (problem || comparison?.isPresent(index) ? [] : [index])))
  foresee(left.size)
  let open = items.length
  interruption.outliveReader(() => {
    if (open === 0) return
    reporter.report({ type: 'warning', warning: { type: 'output-closed', filesLeft: open } })
  })
  const records = await runBatch<UploadItem, ItemRecord>({
    items,
    jobs: options.jobs,
    stopping: interruption.stopping,
    work: (item, halted, index) => uploadItem(item, tools, halted, index),
    continues: (record) => !stopsBatch(record) && !(options.failFast && !isDone(record)),
    notStarted: ({ file }) => notStartedRecord({ file }),
    onResult: (record, index) => {
      open -= 1
      reporter.report({ type: 'item-finished', index, record, link: linkOf(record, options) })
      if (left.delete(index)) foresee(left.size)
    },
  })
  reporter.report({ type: 'batch-ended', records })
  const isBrokenOff = records.some(isNotStarted) || (interruption.stopping.aborted && !records.every(isDone))
  if (options.journal !== false && isBrokenOff) {
    reporter.report({ type: 'note', note: { type: 'run-again' } })
  }
  if (options.copy || options.open) {
    const { copyAndOpen } = await import('./copy-and-open.ts')
    const links = records.map((record) => linkOf(record, options))
    await copyAndOpen({ records, links }, options, context)
  }
  return { type: 'batch', items: records, errorOnNoTransfer: options.errorOnNoTransfer }
}

/** The end is known only if a quota sets the pace. */
function endOf(parts: readonly PlanPart[]): number | undefined {
  return parts.some(isPaced) ? parts.at(-1)?.endsAt : undefined
}

function linkOf({ subject, upload }: ItemRecord, { format, name = '' }: UploadCommandOptions): string | null {
  if (upload === null) return null
  const file = 'file' in subject ? subject.file : ''
  return formatLink(upload, format, file === '-' ? name : basename(file))
}

/** A flag that may be given several times. */
function another(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

/** An empty path is most likely an unset shell variable, so it is refused. */
function parseJournal(path: string): string {
  if (path.trim() !== '') return path
  throw new InvalidArgumentError('Name a file.')
}

function parseUnits(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Give a number of units from 0.')
}
