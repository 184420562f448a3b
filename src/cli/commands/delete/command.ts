import type { Readable } from 'node:stream'
import type { Command } from 'commander'
import type { Client } from '../../../index.ts'
import { runBatch } from '../../batch/batch.ts'
import { failedRecord, notStartedRecord, stopsBatch } from '../../batch/records.ts'
import { CliError, usageError } from '../../failures/cli-error.ts'
import { readAll } from '../../input/stdin-text.ts'
import { findForeign, parseUploadName, slugsOf, type UploadName } from '../../input/upload-names.ts'
import { createForgetting } from '../../journal/open-journal.ts'
import { createNameOf } from '../../journal/recorded-names.ts'
import type { ItemRecord } from '../../output/events.ts'
import type { CommandResult } from '../../run/command.ts'
import type { Context } from '../../run/context.ts'
import { deleteQuestion, type Found, findUploads } from './find-uploads.ts'

export interface DeleteOptions extends SlugArguments {
  readonly yes: boolean
  /** Whether to look the uploads up instead of deleting them. */
  readonly dryRun: boolean
}

export function register(command: Command, start: (options: DeleteOptions) => void): void {
  command
    .description('Show uploads, ask, and delete them for good. A deletion costs 3 units.')
    .argument('[slug|url...]', 'slugs, or any URLs of uploads')
    .optionsGroup('Which uploads:')
    .option('--from-stdin', 'more of them from stdin, one a line; needs --yes or -n')
    .optionsGroup('How:')
    .option('-y, --yes', 'do not ask')
    .option('-n, --dry-run', 'show what would be deleted')
    .addHelpText('after', examples)
    .action((uploads: readonly string[], flags: Partial<DeleteOptions>) => {
      start({ fromStdin: false, yes: false, dryRun: false, ...flags, uploads })
    })
}

const examples = `
Showing the uploads first costs a unit each, or for many a unit per 50.

Examples:
  fh delete aB3dE6gH9j
  fh delete -n https://files.example/i/aB3dE6gH9j
  fh delete --yes aB3dE6gH9j kL1mN4pQ7r
  fh list --limit 20 | fh delete --from-stdin --yes`

/** Deletes one upload after the other; one failure does not stop the others. */
export async function run(options: DeleteOptions, context: Context): Promise<CommandResult> {
  const { reporter, interruption, io } = context
  const asking = !options.dryRun && !options.yes
  if (asking && options.fromStdin) throw cannotAsk()
  const names = await readUploadNames(options, io.stdin, interruption.stopping)
  const slugs = slugsOf(names)
  // Before any request, since nothing can be deleted without an answer.
  if (asking) context.prompt.assertPossible('whether to delete', withoutAsking)
  const credentials = await context.credentials()
  const client = await context.client({ credentials })
  const { stopping } = interruption
  const known = await findForeign(names, { baseUrl: credentials.baseUrl, client, signal: stopping })
  const looking = asking || options.dryRun
  const found: Found = looking ? await findUploads(slugs, client, stopping, known) : new Map()
  if (asking) await confirm(found, credentials.baseUrl, context)
  // A record that cannot be reached shows the uploads until another run asks for them.
  await using contents = (await context.fleet(credentials))?.openContents(() => {})
  const forget = createForgetting(credentials, context, contents)
  reporter.report({ type: 'batch-started', total: slugs.length })
  if (slugs.length === 0) reporter.report({ type: 'note', note: { type: 'nothing-to-delete' } })
  const records = await runBatch<string, ItemRecord>({
    items: slugs,
    jobs: 1,
    stopping: interruption.stopping,
    work: async (slug) => {
      const upload = found.get(slug)
      if (upload instanceof Error) return failedRecord({ slug }, upload)
      if (options.dryRun) return { subject: { slug }, status: 'skipped', upload: upload ?? null, error: null }
      return await deleteOne(slug, client, context)
    },
    continues: (record) => !stopsBatch(record),
    notStarted: (slug) => notStartedRecord({ slug }),
    onResult: (record, index) => {
      deletedSlug(record).forEach(forget)
      reporter.report({ type: 'item-finished', index, record, link: null })
    },
  })
  reporter.report({ type: 'batch-ended', records })
  return { type: 'batch', items: records }
}

const withoutAsking = 'Add --yes to delete without being asked'

function cannotAsk(): CliError {
  const message = 'Cannot ask whether to delete: standard input is the list'
  return new CliError('prompt-needed', message, { hint: withoutAsking })
}

function deletedSlug({ subject, status, error }: ItemRecord): readonly string[] {
  const isGone = status === 'deleted' || error?.code === 'not-found'
  return isGone && 'slug' in subject ? [subject.slug] : []
}

async function confirm(found: Found, baseUrl: string, { prompt, clock, io }: Context): Promise<void> {
  const question = deleteQuestion(found, createNameOf(baseUrl, io.env), clock.now())
  if (question === undefined || (await prompt.confirm(question))) return
  throw new CliError('declined', 'Nothing was deleted')
}

async function deleteOne(slug: string, client: Client, { interruption }: Context): Promise<ItemRecord> {
  const unwatch = interruption.watch(() => true)
  try {
    await client.delete(slug, { signal: interruption.givingUp })
    return { subject: { slug }, status: 'deleted', upload: null, error: null }
  } catch (error) {
    return failedRecord({ slug }, error)
  } finally {
    unwatch()
  }
}

/** The arguments that name uploads. */
export interface SlugArguments {
  /** Slugs or URLs of uploads. */
  readonly uploads: readonly string[]
  /** Whether to read more of them from standard input. */
  readonly fromStdin: boolean
}

/**
 * Reads the uploads named by the arguments and standard input.
 * @throws CliError of code `usage` if there are none, or one is neither a slug nor a URL
 */
export async function readUploadNames(
  { uploads, fromStdin }: SlugArguments,
  stdin: Readable,
  stopping: AbortSignal,
): Promise<readonly UploadName[]> {
  if (uploads.length === 0 && !fromStdin) {
    throw usageError('No uploads given', 'Give slugs or URLs, or --from-stdin for a list of them')
  }
  const listed = fromStdin ? slugLines((await readAll(stdin, stopping)).toString()) : []
  return [...uploads, ...listed].map(parseUploadName)
}

/** One per line (LF or CRLF); of the lines that `fh list` prints, the part before the tab. */
export function slugLines(text: string): readonly string[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  return lines.map((line) => line.replace(/\t.*$/s, '').trim()).filter((line) => line !== '')
}
