import { basename } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Client, UnknownOutcomeError } from '../../index.ts'
import { runBatch } from '../batch.ts'
import { usageError } from '../cli-error.ts'
import type { CommandResult } from '../command.ts'
import type { Context } from '../context.ts'
import type { ItemRecord } from '../events.ts'
import { isAbort } from '../exit-codes.ts'
import { fly } from '../flight.ts'
import { formatLink, type LinkFormat, linkFormats } from '../links.ts'
import { concernsAllItems, failedRecord, notStartedRecord } from '../records.ts'
import { checkFileName, spoolStdin } from '../stdin-file.ts'
import { expandArguments, type UploadItem } from '../upload-items.ts'

export interface UploadCommandOptions {
  readonly paths: readonly string[]
  readonly recursive: boolean
  /** What standard input is called. */
  readonly name?: string | undefined
  readonly jobs: number
  readonly format: LinkFormat
  readonly failFast: boolean
  readonly errorOnNoTransfer: boolean
}

const defaults = {
  recursive: false,
  // Two uploads are what the burst window lets through at once (spec 8): more in parallel gain nothing.
  jobs: 2,
  format: 'url',
  failFast: false,
  errorOnNoTransfer: false,
} as const

export function register(command: Command, start: (options: UploadCommandOptions) => void): void {
  command
    .description('Upload files and print their links, one per line, in the order given.')
    .argument('<path...>', 'files, folders with -r, quoted patterns, or - for standard input')
    .option('-r, --recursive', 'upload the files in folders, hidden ones left out')
    .option('--name <name>', 'name of what comes from standard input')
    .option('-j, --jobs <n>', `how many to upload at a time (${defaults.jobs})`, parseJobs)
    .addOption(new Option('--format <format>', 'what to print (url)').choices(linkFormats))
    .option('--fail-fast', 'start nothing more after the first failure')
    .option('--error-on-no-transfer', 'exit with 9 if nothing was uploaded')
    .addHelpText('after', examples)
    .action((paths: readonly string[], flags: Partial<UploadCommandOptions>) => {
      start({ ...defaults, ...flags, paths })
    })
}

const examples = `
Examples:
  fh upload photo.jpg
  fh upload -r holiday --format markdown
  fh upload 'shots/*.png' --json
  convert photo.tiff jpg:- | fh upload - --name photo.jpg`

/** Uploads everything; one that fails does not keep the others from being tried. */
export async function run(options: UploadCommandOptions, context: Context): Promise<CommandResult> {
  checkStdinUse(options)
  const { reporter, interruption } = context
  const items = await expandArguments(options.paths, options)
  const client = await context.client()
  reporter.report({ type: 'batch-started', total: items.length })
  if (items.length === 0) reporter.report({ type: 'note', text: 'There are no files in there' })
  const records = await runBatch<UploadItem, ItemRecord>({
    items,
    jobs: options.jobs,
    stopping: interruption.stopping,
    work: (item) => uploadItem(item, { client, context, name: options.name ?? '' }),
    continues: (record) => !concernsAllItems(record) && !(options.failFast && record.status !== 'uploaded'),
    notStarted: ({ file }) => notStartedRecord({ file }),
    onResult: (record, index) =>
      reporter.report({ type: 'item-finished', index, record, link: linkOf(record, options) }),
  })
  reporter.report({ type: 'batch-ended', records })
  return { type: 'batch', items: records, errorOnNoTransfer: options.errorOnNoTransfer }
}

function linkOf({ subject, upload }: ItemRecord, { format, name = '' }: UploadCommandOptions): string | null {
  if (upload === null) return null
  const file = 'file' in subject ? subject.file : ''
  return formatLink(upload, format, file === '-' ? name : basename(file))
}

function parseJobs(text: string): number {
  const jobs = Number(text)
  if (Number.isInteger(jobs) && jobs >= 1 && jobs <= 64) return jobs
  throw new InvalidArgumentError('Give a number from 1 to 64.')
}

function checkStdinUse({ paths, name }: UploadCommandOptions): void {
  const uses = paths.filter((path) => path === '-').length
  if (uses > 1) throw usageError('Standard input (-) can be uploaded only once')
  if (uses === 1 && name === undefined) {
    throw usageError('Standard input (-) needs a name', 'Add --name, as in fh upload - --name photo.jpg')
  }
  if (uses === 0 && name !== undefined) {
    throw usageError('--name names standard input, which is not among the paths', 'Give - as the path')
  }
  if (name !== undefined) checkFileName(name)
}

interface UploadTools {
  readonly client: Client
  readonly context: Context
  /** Of standard input. */
  readonly name: string
}

async function uploadItem({ file, problem }: UploadItem, tools: UploadTools): Promise<ItemRecord> {
  if (problem !== undefined) return failedRecord({ file }, problem)
  if (file !== '-') return await uploadFile(file, file, tools)
  const { io, interruption } = tools.context
  try {
    await using spooled = await spoolStdin(io.stdin, tools.name, interruption.stopping)
    return await uploadFile(file, spooled.path, tools)
  } catch (error) {
    return failedRecord({ file }, error)
  }
}

async function uploadFile(file: string, path: string, { client, context }: UploadTools): Promise<ItemRecord> {
  return fly(context.interruption, async (flight) => {
    try {
      const { signal, onProgress, onEvent } = flight
      const upload = await client.upload(path, { signal, onProgress, onEvent })
      return { subject: { file }, status: 'uploaded', upload, error: null }
    } catch (error) {
      if (!isAbort(error)) return failedRecord({ file }, error, path)
      if (flight.isGrounded()) return notStartedRecord({ file })
      // A body that is not complete is never stored; of a complete one nobody knows.
      return failedRecord({ file }, flight.isComplete() ? mayBeStored(error) : error)
    }
  })
}

function mayBeStored(cause: unknown): UnknownOutcomeError {
  return new UnknownOutcomeError('Interrupted after the whole file was sent: it may have been stored', {
    hint: 'Look at fh list before uploading it again',
    cause,
  })
}
