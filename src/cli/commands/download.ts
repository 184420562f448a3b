import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import type { Client, Upload } from '../../index.ts'
import { runBatch } from '../batch.ts'
import { CliError, reasonOf, usageError } from '../cli-error.ts'
import type { CommandResult } from '../command.ts'
import type { Context } from '../context.ts'
import { downloadName } from '../download/download-name.ts'
import { fileExists, openPartFile } from '../download/part-file.ts'
import { createSiteDownloader, type SiteDownloader } from '../download/site-download.ts'
import { createStreamTarget } from '../download/stdout-target.ts'
import type { ItemRecord } from '../events.ts'
import { isAbort } from '../exit-codes.ts'
import { parseJobs } from '../jobs-flag.ts'
import { concernsAllItems, failedRecord, notStartedRecord } from '../records.ts'
import { parseSlug } from '../slug.ts'

export interface DownloadOptions {
  /** Slugs or URLs of uploads. */
  readonly uploads: readonly string[]
  /** The one file's path, `-` for standard output. Default: the slug with the raw file's extension. */
  readonly output?: string | undefined
  /** Default: the working folder. */
  readonly outputDir: string
  readonly force: boolean
  readonly jobs: number
}

const defaults = { outputDir: '.', force: false, jobs: 3 } as const

export function register(command: Command, start: (options: DownloadOptions) => void): void {
  command
    .description('Download the files of uploads, going on where an earlier run broke off. Each costs one unit.')
    .argument('<slug|url...>', 'slugs, or URLs of pages, raw files, thumbnails or embeds')
    .option('-o, --output <file>', 'name of the file; - for standard output')
    .addOption(
      new Option('-O, --output-dir <folder>', 'folder for the files, made if it is not there (.)').conflicts('output'),
    )
    .option('--force', 'replace files that are there')
    .option('-j, --jobs <n>', `how many to download at a time (${defaults.jobs})`, parseJobs)
    .addHelpText('after', examples)
    .action((uploads: readonly string[], flags: Partial<DownloadOptions>) => start({ ...defaults, ...flags, uploads }))
}

const examples = `
Prints the path of each file. A file of the same size counts as the same file, and is left as it is.
What has come lies in FILE.part until all of it has; the same command goes on from there.

Examples:
  fh download aB3dE6gH9j
  fh download -O backup aB3dE6gH9j https://files.example/i/kL1mN4pQ7r
  fh download -o - aB3dE6gH9j | sha256sum
  fh list --all --jsonl --fields slug | jq -r .slug | xargs fh download -O backup`

/** Downloads everything; one that fails does not keep the others from being tried. */
export async function run(options: DownloadOptions, context: Context): Promise<CommandResult> {
  const slugs = [...new Set(options.uploads.map(parseSlug))]
  await checkTarget(options, slugs.length, context)
  const { reporter, interruption } = context
  const client = await context.client()
  await using site = await createSiteDownloader(context)
  reporter.report({
    type: 'batch-started',
    total: slugs.length,
    transfer: { verb: 'downloaded', jobs: options.jobs, bytes: undefined, progress: 'auto' },
  })
  const tools: Tools = { options, client, site, context, taken: new Set() }
  const records = await runBatch<string, ItemRecord>({
    items: slugs,
    jobs: options.jobs,
    stopping: interruption.stopping,
    work: (slug, _halted, index) => downloadOne(slug, index, tools),
    continues: (record) => !concernsAllItems(record),
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

async function checkTarget({ output, outputDir }: DownloadOptions, count: number, { flags }: Context): Promise<void> {
  if (output === undefined) {
    if (outputDir !== '.') await makeFolder(outputDir)
    return
  }
  if (count > 1) throw usageError('-o names one file, but there are several uploads', 'Use -O to name a folder')
  if (output === '') throw usageError('-o is empty', 'Name a file, or - for standard output')
  if (output === '-' && (flags.json || flags.jsonl)) {
    throw usageError('Standard output cannot hold the file and JSON', 'Leave out --json, or download to a file')
  }
  const existing = await stat(output).catch(() => undefined)
  if (existing?.isDirectory()) throw usageError(`${output} is a folder`, `Use -O ${output} to download into it`)
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true })
  } catch (error) {
    throw new CliError('file-unwritable', `${path} cannot be made: ${reasonOf(error)}`, { cause: error })
  }
}

interface Tools {
  readonly options: DownloadOptions
  readonly client: Client
  readonly site: SiteDownloader
  readonly context: Context
  /** Names in use in this run, in lower case: some file systems know no capitals. */
  readonly taken: Set<string>
}

async function downloadOne(slug: string, index: number, tools: Tools): Promise<ItemRecord> {
  const { client, context } = tools
  let upload: Upload | undefined
  try {
    upload = await client.show(slug, { signal: context.interruption.stopping })
    const { status, path } = await fetchFile(upload, index, tools)
    return { subject: { slug }, status, path, upload, error: null }
  } catch (error) {
    // Whoever stopped reading standard output wants to hear nothing of it.
    const unread = context.interruption.cause() === 'output-closed'
    const started = upload !== undefined || !isAbort(error)
    const record = started && !unread ? failedRecord({ slug }, error) : notStartedRecord({ slug })
    return { ...record, path: null }
  }
}

async function fetchFile(upload: Upload, index: number, tools: Tools) {
  const { options, site, context } = tools
  const { interruption, reporter, io } = context
  const url = httpUrl(upload)
  reporter.report({ type: 'item-started', index, name: upload.slug })
  const onProgress = (bytes: number) => reporter.report({ type: 'item-moved', index, bytes, total: upload.size })
  if (options.output === '-') {
    await site.fetch(url, createStreamTarget(io.stdout, interruption.stopping, onProgress), interruption.stopping)
    return { status: 'downloaded', path: null } as const
  }
  const path = options.output ?? join(options.outputDir, freeName(downloadName(upload), tools.taken))
  if (!options.force && (await isThere(path, upload.size))) return { status: 'skipped', path } as const
  await using part = await openPartFile(path, {
    slug: upload.slug,
    size: upload.size,
    force: options.force,
    onProgress,
  })
  await site.fetch(url, part, interruption.stopping)
  await part.finish()
  return { status: 'downloaded', path } as const
}

/** @throws CliError where the service names no address a file could be fetched from */
function httpUrl({ direct_url: url, slug }: Upload): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw new CliError('no-file-address', `The service gives no address for the file of ${slug}: ${JSON.stringify(url)}`)
}

/** @throws CliError where another file has the name */
async function isThere(path: string, size: number): Promise<boolean> {
  const existing = await stat(path).catch(() => undefined)
  if (existing === undefined) return false
  if (existing.isFile() && existing.size === size) return true
  throw fileExists(path)
}

/** Two uploads of one run never share a file, whatever the service calls them. */
function freeName(name: string, taken: Set<string>): string {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : name.replace(/(\.[^.]*)?$/, (extension) => `-${number}${extension}`)
    if (taken.has(candidate.toLowerCase())) continue
    taken.add(candidate.toLowerCase())
    return candidate
  }
}
