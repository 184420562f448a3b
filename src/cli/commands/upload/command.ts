import { basename } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { PlanPart } from '../../../internal.ts'
import { runBatch } from '../../batch/batch.ts'
import { isPaced } from '../../batch/batch-plan.ts'
import { parseJobs } from '../../batch/jobs-flag.ts'
import { concernsAllItems, isDone, isNotStarted, notStartedRecord } from '../../batch/records.ts'
import { maxFileSizeOf } from '../../config/setting-values.ts'
import { openUploadJournal } from '../../journal/open-journal.ts'
import type { ItemRecord, ProgressChoice } from '../../output/events.ts'
import { counted } from '../../output/format/format.ts'
import type { CommandResult } from '../../run/command.ts'
import type { Context } from '../../run/context.ts'
import { formatLink, type LinkFormat, linkFormats } from './links.ts'
import { likelySent, settleEarlier } from './resume.ts'
import { createForecaster, forecastUploads } from './upload-forecast.ts'
import { collectItems, type UploadInputs } from './upload-inputs.ts'
import { bytesOf, type UploadItem, weighed } from './upload-items.ts'
import { uploadItem } from './upload-work.ts'

export interface UploadCommandOptions extends UploadInputs {
  readonly jobs: number
  readonly format: LinkFormat
  readonly failFast: boolean
  readonly errorOnNoTransfer: boolean
  /** Shows the plan and sends nothing. */
  readonly dryRun: boolean
  /** A file; false for none, undefined for the usual one. */
  readonly journal?: string | false | undefined
  /** Uploads again what the journal has. */
  readonly force: boolean
  /** Whether the service alone judges what a file is. */
  readonly anyType: boolean
  /** Units of the hour and the day that are left to others. */
  readonly reserve?: number | undefined
  readonly progress: ProgressChoice
  /** Copies the links to the clipboard. */
  readonly copy: boolean
  /** Opens the pages in the browser. */
  readonly open: boolean
}

const defaults = {
  recursive: false,
  hidden: false,
  follow: false,
  null: false,
  // Two uploads are what the burst window lets through at once (spec 8): more in parallel gain nothing.
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
    .option('-r, --recursive', 'upload the files in folders, hidden ones left out')
    .option('-L, --follow', 'with -r, go into folders that links lead to, each once')
    .option('--hidden', 'take hidden files too, from folders and by patterns')
    .option('--files-from <file>', 'upload what this list names, one path a line; - for standard input')
    .option('-0, --null', 'paths in that list end with NUL, as find -print0 writes them')
    .option('--name <name>', 'name of what comes from standard input')
    .option('-j, --jobs <n>', `how many to upload at a time (${defaults.jobs})`, parseJobs)
    .addOption(new Option('--format <format>', 'what to print (url)').choices(linkFormats))
    .option('--copy', 'copy what is printed to the clipboard')
    .option('--open', 'open the pages in the browser, the first few of many')
    .option('--fail-fast', 'start nothing more after the first failure')
    .option('-n, --dry-run', 'show the plan: what would be sent, and when; sends nothing')
    .option('--force', 'upload again what an unfinished run has uploaded')
    .option('--journal <file>', 'where it is written down what was uploaded, to go on after a break', parseJournal)
    .option('--no-journal', 'write nothing down')
    .option('--reserve <units>', 'leave this many units of the hour and the day to others', parseUnits)
    .option('--max-file-size <size>', 'largest file that is sent, none = any (200MB)')
    .option('--any-type', 'send files of any type: the service judges')
    .addOption(
      new Option('--progress <how>', 'what to show of what goes on (auto)').choices(['auto', 'bar', 'plain', 'none']),
    )
    .option('--error-on-no-transfer', 'exit with 9 if nothing was uploaded')
    .addHelpText('after', examples)
    .action((paths: readonly string[], flags: Partial<UploadCommandOptions>) => {
      start({ ...defaults, ...flags, paths })
    })
}

const examples = `
The same command again goes on where a run was cut off or failed in part.

Examples:
  fh upload photo.jpg
  fh upload -r holiday --format markdown
  fh upload 'shots/*.png' --json
  fh upload -n -r holiday
  find . -name '*.mp4' -print0 | fh upload --files-from - -0
  fh upload --copy --format html photo.jpg
  convert photo.tiff jpg:- | fh upload - --name photo.jpg`

/** Uploads everything; one that fails does not keep the others from being tried. */
export async function run(options: UploadCommandOptions, context: Context): Promise<CommandResult> {
  const { reporter, interruption } = context
  const limits = { maxFileSizeBytes: maxFileSizeOf(context.settings()), anyType: options.anyType }
  const named = await collectItems(options, context)
  const credentials = await context.credentials()
  if (options.dryRun) {
    const { showPlan } = await import('./plan-command.ts')
    return await showPlan(named, options, credentials, context)
  }
  const items = await weighed(named)
  const journal = openUploadJournal(options, credentials, context)
  const client = await context.client({ credentials, reserve: options.reserve })
  reporter.report({
    type: 'batch-started',
    total: items.length,
    transfer: { verb: 'uploaded', jobs: options.jobs, bytes: bytesOf(items), progress: options.progress },
  })
  if (items.length === 0) reporter.report({ type: 'note', text: 'There are no files in there' })
  else if (!options.force) await settleEarlier(journal, client, context)
  const foresee = createForecaster((count) => endOf(forecastUploads(count, options, credentials, context)), context)
  const left = likelySent(items, journal, options)
  foresee(left.size)
  let open = items.length
  interruption.outliveReader(() => {
    if (open === 0) return
    const text = `Standard output is closed; the upload goes on, ${counted(open, 'file')} left`
    reporter.report({ type: 'reader-left', text, hint: 'Ctrl-C stops it' })
  })
  const tools = { client, context, journal, limits, force: options.force, name: options.name ?? '' }
  const records = await runBatch<UploadItem, ItemRecord>({
    items,
    jobs: options.jobs,
    stopping: interruption.stopping,
    work: (item, halted, index) => uploadItem(item, tools, halted, index),
    continues: (record) => !concernsAllItems(record) && !(options.failFast && !isDone(record)),
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
    reporter.report({ type: 'note', text: 'The same command again goes on from here' })
  }
  if (options.copy || options.open) {
    const { handOver } = await import('./copy-and-open.ts')
    const links = records.map((record) => linkOf(record, options))
    await handOver({ records, links }, options, context)
  }
  return {
    type: 'batch',
    items: records,
    errorOnNoTransfer: options.errorOnNoTransfer,
    // Where nobody was told, the same command is to skip it all, and not to upload it all again.
    onPrinted: (isPrinted) => journal.end(isPrinted && records.every(isDone)),
  }
}

/** Where no quota sets the pace the end cannot be foreseen. */
function endOf(parts: readonly PlanPart[]): number | undefined {
  return parts.some(isPaced) ? parts.at(-1)?.endsAt : undefined
}

function linkOf({ subject, upload }: ItemRecord, { format, name = '' }: UploadCommandOptions): string | null {
  if (upload === null) return null
  const file = 'file' in subject ? subject.file : ''
  return formatLink(upload, format, file === '-' ? name : basename(file))
}

/** An empty name is a variable that was not set, rather than a wish for the usual journal. */
function parseJournal(path: string): string {
  if (path.trim() !== '') return path
  throw new InvalidArgumentError('Name a file.')
}

function parseUnits(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Give a number of units from 0.')
}
