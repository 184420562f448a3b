import { stat } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { createBandwidth } from '../../../client/bandwidth.ts'
import { download, fileAddress } from '../../../client/download/download.ts'
import { type DownloadTarget, downloadToPath, downloadToStream } from '../../../client/download/download-target.ts'
import { DownloadError } from '../../../client/errors.ts'
import { shellWord } from '../../../environment/shell-word.ts'
import type { Client, Transport, Upload } from '../../../index.ts'
import { createQueue } from '../../../system/queue.ts'
import { isAbort, orAborted } from '../../../system/signals.ts'
import { runBatch } from '../../batch/batch.ts'
import { downloadForecast } from '../../batch/forecast.ts'
import { type ChoiceArguments, findChosen, readUploadChoice, type UploadChoice } from '../../choice/choose.ts'
import { addFilterFlags } from '../../choice/filter.ts'
import { slugsOf } from '../../choice/names.ts'
import { chosenFormat } from '../../config/global-flags.ts'
import { type Context, openSiteAccess, type Start } from '../../context/context.ts'
import { isOutputEnd } from '../../context/interruption.ts'
import { usageError } from '../../failures/cli-error.ts'
import { exitCodeOfBatch } from '../../failures/exit-codes.ts'
import { hints } from '../../failures/hints.ts'
import { parseBandwidth, parseJobs } from '../../input/flag-values.ts'
import type { ItemRecord } from '../../output/events.ts'
import { failedRecord, notStartedRecord } from '../../output/records.ts'
import { choosePath, makeOutputFolder, type Naming } from './download-path.ts'

interface DownloadOptions extends ChoiceArguments {
  /** Path for a single file, `-` for standard output. Default: the name of the upload, else its slug. */
  readonly output?: string | undefined
  /** Default: the working folder. */
  readonly outputDir: string
  readonly force: boolean
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
    .action((uploads: readonly string[], flags: Partial<DownloadOptions>) => {
      // As a path it would be replaced, as every file is.
      const output = flags.output === '/dev/stdout' ? '-' : flags.output
      start((context) => downloadAll({ ...defaults, ...flags, output, uploads }, context))
    })
}

const examples = `
Examples:
  fh download -O backup --type image --since 7d`

/** Downloads all files; one failure does not stop the others. */
async function downloadAll(options: DownloadOptions, context: Context): Promise<number> {
  const { reporter, interruption } = context
  const choice = await readUploadChoice(options, context)
  await orAborted(checkTarget(options, choice, context), interruption.stopping)
  const credentials = await context.credentials()
  const client = await context.client()
  const { slugs, known, mayMiss } = await findChosen(choice, { ...credentials, client }, context)
  await using site = await createSiteDownloader(options, context)
  const transfers = context.transfers.begin(slugs.map((slug) => known.get(slug)?.size))
  reporter.report({ type: 'batch-started', transfers, progress: 'auto' })
  transfers.expect(downloadForecast(options.jobs, context.clock))
  const { createNameOf } = await import('../../../uploads/names.ts')
  const nameOf = createNameOf(credentials.baseUrl, context.io.env)
  const tools = { options, client, site, context, known, nameOf, taken: new Set<string>(), queue: createQueue() }
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
  return exitCodeOfBatch(records, mayMiss)
}

async function checkTarget(
  { output, outputDir }: DownloadOptions,
  choice: UploadChoice,
  { flags }: Context,
): Promise<void> {
  if (output === undefined) {
    if (outputDir !== '.') await makeOutputFolder(outputDir)
    return
  }
  if (choice.type === 'filtered' || slugsOf(choice.names).length > 1) {
    throw usageError('-o takes one file, but there may be several uploads', hints.folder)
  }
  if (output === '') throw usageError('-o is empty: give a file, or - for standard output')
  if (output === '-' && chosenFormat(flags) !== undefined) {
    throw usageError('Standard output cannot carry both the file and JSON')
  }
  const existing = await stat(output).catch(() => undefined)
  if (existing?.isDirectory()) throw usageError(`${output} is a folder`, hints.folder)
  if (existing === undefined || existing.isFile() || output === '-') return
  const hint = hints.didYouMean(`-o - > ${shellWord(output)}`)
  throw new DownloadError('file-unwritable', `${output} cannot be used: it is not a file`, { hint })
}

interface DownloadTools extends Pick<Naming, 'nameOf' | 'taken'> {
  readonly options: DownloadOptions
  readonly client: Client
  /** Fetches raw files. */
  readonly site: Awaited<ReturnType<typeof createSiteDownloader>>
  readonly context: Context
  /** Uploads that have been looked up already, by slug. */
  readonly known: ReadonlyMap<string, Upload>
  /** Uploads choose their paths in turn: two runs of one command give each of them the same one. */
  readonly queue: ReturnType<typeof createQueue>
}

/** Downloads the file of one upload, or skips it if the file exists already. Undefined where the run was stopped first. */
async function downloadOne(slug: string, index: number, tools: DownloadTools): Promise<ItemRecord | undefined> {
  const { client, context, known, site } = tools
  const { output, force } = tools.options
  const { interruption, transfers, io } = context
  const { stopping } = interruption
  const lookUp = async () => known.get(slug) ?? (await client.show(slug, { signal: stopping }))
  const found = lookUp()
  const chosen = output ?? tools.queue(async () => choosePath(await found, { ...tools, ...tools.options }))
  // What fails here fails the download below.
  Promise.resolve(chosen).catch(() => {})
  let upload: Upload | undefined
  try {
    upload = await found
    const { size } = upload
    const url = fileAddress(upload)
    transfers.start(index, upload.slug, size)
    const onProgress = (bytes: number) => transfers.move(index, bytes, size)
    const fetch = (target: DownloadTarget, signal = stopping) => site.fetch(url, target, { size, signal })
    const record = { subject: { slug }, upload, error: null }
    if (output === '-') {
      await downloadToStream(io.stdout, { name: 'Standard output', signal: stopping, onProgress }, fetch)
      return { ...record, status: 'downloaded', path: null }
    }
    const path = await orAborted(Promise.resolve(chosen), stopping)
    const isNew = await downloadToPath(path, { ...upload, force, signal: stopping, onProgress, fetch })
    return { ...record, status: isNew ? 'downloaded' : 'skipped', path }
  } catch (error) {
    // A closed or failed output is reported at the end of the run, not for each file.
    const cause = interruption.cause()
    const unread = cause !== undefined && isOutputEnd(cause)
    const started = upload !== undefined || !isAbort(error)
    return started && !unread ? { ...failedRecord({ slug }, error), path: null } : undefined
  }
}

/** @param bwlimit bytes per second of all files together: their bodies are read at this rate, so no site sends faster */
export async function createSiteDownloader({ bwlimit }: { readonly bwlimit?: number | undefined }, context: Context) {
  const { transport, ...access } = await openSiteAccess(context)
  const bandwidth = bwlimit === undefined ? undefined : createBandwidth(bwlimit, context.clock)
  const paced: Transport = {
    async send(request) {
      const answer = await transport.send(request)
      return bandwidth === undefined ? answer : { ...answer, body: bandwidth(answer.body, request.signal) }
    },
  }
  return {
    fetch: (url: string, target: DownloadTarget, file: { size: number; signal: AbortSignal }) =>
      download(url, target, { ...access, transport: paced, ...file }),
    async [Symbol.asyncDispose]() {
      await transport.close?.()
    },
  }
}
