import { stat } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { shellWord } from '../../../environment/shell-word.ts'
import { DownloadError } from '../../../index.ts'
import { createQueue } from '../../../system/queue.ts'
import { orAborted } from '../../../system/signals.ts'
import type { NameOf } from '../../../uploads/names.ts'
import { runBatch } from '../../batch/batch.ts'
import { downloadForecast } from '../../batch/forecast.ts'
import { type ChoiceArguments, findChosen, readUploadChoice, type UploadChoice } from '../../choice/choose.ts'
import { addFilterFlags } from '../../choice/filter.ts'
import { slugsOf } from '../../choice/names.ts'
import { chosenFormat } from '../../config/global-flags.ts'
import type { CommandResult, Context, Start } from '../../context/context.ts'
import { usageError } from '../../failures/cli-error.ts'
import { parseBandwidth, parseJobs } from '../../input/flag-values.ts'
import type { ItemRecord } from '../../output/events.ts'
import { notStartedRecord } from '../../output/records.ts'
import { makeOutputFolder } from './download-path.ts'
import { createSiteDownloader, type DownloadTargetChoice, type DownloadTools, downloadOne } from './download-work.ts'

interface DownloadCommandOptions extends DownloadTargetChoice, ChoiceArguments {
  readonly all: boolean
  readonly jobs: number
  /** Bytes per second of all downloads together. */
  readonly bwlimit?: number | undefined
}

const defaults = { outputDir: '.', force: false, jobs: 3, all: false, fromStdin: false } as const

export function register(command: Command, start: Start): void {
  command
    .description('Download files and print their paths; run it again to continue. A unit each.')
    .argument('[slug|url...]', 'slugs, or any URLs of uploads')
  addFilterFlags(command)
    .option('--all', 'all uploads')
    .option('--from-stdin', 'those listed on stdin, one a line')
    .optionsGroup('How:')
    .option('-o, --output <file>', 'name of the file; - for standard output')
    .addOption(new Option('-O, --output-dir <folder>', 'folder for the files (.)').conflicts('output'))
    .option('--force', 'replace existing files')
    .option('-j, --jobs <n>', `how many to download at a time (${defaults.jobs})`, parseJobs)
    .option('--bwlimit <rate>', 'at most so many bytes a second: 500k, 2MB', parseBandwidth)
    .addHelpText('after', examples)
    .action((uploads: readonly string[], flags: Partial<DownloadCommandOptions>) => {
      // As a path it would be replaced, as every file is.
      const output = flags.output === '/dev/stdout' ? '-' : flags.output
      start((context) => downloadAll({ ...defaults, ...flags, output, uploads }, context))
    })
}

const examples = `
Examples:
  fh download -O backup --type image --since 7d`

/** Downloads all files; one failure does not stop the others. */
async function downloadAll(options: DownloadCommandOptions, context: Context): Promise<CommandResult> {
  const { note, reporter, interruption } = context
  const choice = await readUploadChoice(options, context)
  await orAborted(checkTarget(options, choice, context), interruption.stopping)
  const credentials = await context.credentials()
  const client = await context.client({ credentials })
  const { slugs, known, mayMiss } = await findChosen(choice, { ...credentials, client }, context)
  if (slugs.length === 0 && choice.type === 'named') note('Nothing to download')
  await using site = await createSiteDownloader(options, context)
  reporter.report({
    type: 'batch-started',
    total: slugs.length,
    transfer: { verb: 'downloaded', sizes: slugs.map((slug) => known.get(slug)?.size), progress: 'auto' },
  })
  const isLeftOut = () => interruption.stopping.aborted
  reporter.report({ type: 'batch-expected', forecast: downloadForecast({ ...options, isLeftOut }, context.clock) })
  const nameOf = await namesFor(options, credentials.baseUrl, context)
  const tools: DownloadTools = {
    target: options,
    client,
    site,
    context,
    known,
    nameOf,
    taken: new Set(),
    queue: createQueue(),
  }
  const records = await runBatch<string, ItemRecord>({
    items: slugs,
    jobs: options.jobs,
    stopping: interruption.stopping,
    work: (slug, _halted, index) => downloadOne(slug, index, tools),
    continues: ({ error }) => !error?.stopsBatch,
    notStarted: (slug, stopper) => ({ ...notStartedRecord({ slug }, stopper?.error), path: null }),
    onResult(record, index) {
      const link = options.output === '-' ? null : (record.path ?? null)
      reporter.report({ type: 'item-finished', index, record, link })
    },
  })
  reporter.report({ type: 'batch-ended', records })
  return { type: 'batch', items: records, mayMiss }
}

/** Names are looked up only where they become names of files. */
async function namesFor({ output }: DownloadCommandOptions, baseUrl: string, { io }: Context): Promise<NameOf> {
  if (output !== undefined) return () => null
  const { createNameOf } = await import('../../../uploads/names.ts')
  return createNameOf(baseUrl, io.env)
}

async function checkTarget(
  { output, outputDir }: DownloadCommandOptions,
  choice: UploadChoice,
  { flags }: Context,
): Promise<void> {
  if (output === undefined) {
    if (outputDir !== '.') await makeOutputFolder(outputDir)
    return
  }
  if (choice.type === 'filtered' || slugsOf(choice.names).length > 1) {
    const why = choice.type === 'filtered' ? 'filters may choose several uploads' : 'there are several uploads'
    throw usageError(`-o takes one file, but ${why}`, 'Use -O to choose a folder')
  }
  if (output === '') throw usageError('-o is empty', 'Give a file, or - for standard output')
  if (output === '-' && chosenFormat(flags) !== undefined) {
    throw usageError('Standard output cannot carry both the file and JSON', 'Leave out --json, or download to a file')
  }
  const existing = await stat(output).catch(() => undefined)
  if (existing?.isDirectory())
    throw usageError(`${output} is a folder`, `Use -O ${shellWord(output)} to download into it`)
  if (existing === undefined || existing.isFile() || output === '-') return
  const message = `${output} cannot be used: it is not a file, but a device or a pipe`
  throw new DownloadError('file-unwritable', message, {
    hint: `Let the shell write there: -o - > ${shellWord(output)}`,
  })
}
