import { stat } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { shellWord } from '../../../environment/shell-word.ts'
import { orAborted } from '../../../system/abortable.ts'
import { runBatch } from '../../batch/batch.ts'
import { parseJobs } from '../../batch/jobs-flag.ts'
import { notStartedRecord, stopsBatch } from '../../batch/records.ts'
import { chosenFormat } from '../../config/output-formats.ts'
import { usageError } from '../../failures/cli-error.ts'
import { findForeign, parseUploadName, slugsOf } from '../../input/upload-names.ts'
import type { NameOf } from '../../journal/recorded-names.ts'
import type { ItemRecord } from '../../output/events.ts'
import type { CommandResult } from '../../run/command.ts'
import type { Context } from '../../run/context.ts'
import { createSiteDownloader, type DownloadTargetChoice, type DownloadTools, downloadOne } from './download-work.ts'
import { makeOutputFolder } from './output-folder.ts'

export interface DownloadOptions extends DownloadTargetChoice {
  /** Slugs or URLs of uploads. */
  readonly uploads: readonly string[]
  readonly jobs: number
}

const defaults = { outputDir: '.', force: false, jobs: 3 } as const

export function register(command: Command, start: (options: DownloadOptions) => void): void {
  command
    .description('Download the files of uploads and print their paths. Each costs one unit.')
    .argument('<slug|url...>', 'slugs, or any URLs of uploads')
    .option('-o, --output <file>', 'name of the file; - for standard output')
    .addOption(new Option('-O, --output-dir <folder>', 'folder for the files (.)').conflicts('output'))
    .option('--force', 'replace existing files')
    .option('-j, --jobs <n>', `how many to download at a time (${defaults.jobs})`, parseJobs)
    .addHelpText('after', examples)
    .action((uploads: readonly string[], flags: Partial<DownloadOptions>) => start({ ...defaults, ...flags, uploads }))
}

const examples = `
Names each file after its title, the file uploaded from here, or its slug.
An existing file of the same size counts as downloaded. An incomplete download
is kept as .part; run the same command again to continue it.

Examples:
  fh download aB3dE6gH9j
  fh download -O backup aB3dE6gH9j https://files.example/i/kL1mN4pQ7r
  fh download -o - aB3dE6gH9j | sha256sum
  fh list --limit 9 | cut -f1 | xargs fh download -O backup`

/** Downloads all files; one failure does not stop the others. */
export async function run(options: DownloadOptions, context: Context): Promise<CommandResult> {
  const names = options.uploads.map(parseUploadName)
  const slugs = slugsOf(names)
  const { reporter, interruption } = context
  await orAborted(checkTarget(options, slugs.length, context), interruption.stopping)
  const credentials = await context.credentials()
  const client = await context.client({ credentials })
  const known = await findForeign(names, { baseUrl: credentials.baseUrl, client, signal: interruption.stopping })
  await using site = await createSiteDownloader(context)
  reporter.report({
    type: 'batch-started',
    total: slugs.length,
    transfer: { verb: 'downloaded', jobs: options.jobs, bytes: undefined, progress: 'auto' },
  })
  const nameOf = await namesFor(options, credentials.baseUrl, context)
  const tools: DownloadTools = { target: options, client, site, context, known, nameOf, taken: new Set() }
  const records = await runBatch<string, ItemRecord>({
    items: slugs,
    jobs: options.jobs,
    stopping: interruption.stopping,
    work: (slug, _halted, index) => downloadOne(slug, index, tools),
    continues: (record) => !stopsBatch(record),
    notStarted: (slug) => ({ ...notStartedRecord({ slug }), path: null }),
    onResult: (record, index) =>
      reporter.report({
        type: 'item-finished',
        index,
        record,
        link: options.output === '-' ? null : (record.path ?? null),
      }),
  })
  reporter.report({ type: 'batch-ended', records })
  return { type: 'batch', items: records }
}

/** Names are looked up only where they become names of files. */
async function namesFor({ output }: DownloadOptions, baseUrl: string, { io }: Context): Promise<NameOf> {
  if (output !== undefined) return () => null
  const { createNameOf } = await import('../../journal/recorded-names.ts')
  return createNameOf(baseUrl, io.env)
}

async function checkTarget({ output, outputDir }: DownloadOptions, count: number, { flags }: Context): Promise<void> {
  if (output === undefined) {
    if (outputDir !== '.') await makeOutputFolder(outputDir)
    return
  }
  if (count > 1) throw usageError('-o takes one file, but there are several uploads', 'Use -O to choose a folder')
  if (output === '') throw usageError('-o is empty', 'Give a file, or - for standard output')
  if (output === '-' && chosenFormat(flags) !== undefined) {
    throw usageError('Standard output cannot carry both the file and JSON', 'Leave out --json, or download to a file')
  }
  const existing = await stat(output).catch(() => undefined)
  if (existing?.isDirectory())
    throw usageError(`${output} is a folder`, `Use -O ${shellWord(output)} to download into it`)
}
