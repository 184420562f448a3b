import { type Command, Option } from 'commander'
import { provingClient } from '../../client/client.ts'
import { NotFoundError } from '../../client/errors.ts'
import type { Client, ClientEvent, Upload } from '../../index.ts'
import { counted } from '../../protocol/quantities.ts'
import { isAbort } from '../../system/signals.ts'
import { createNameOf, type NameOf } from '../../uploads/names.ts'
import { runBatch } from '../batch/batch.ts'
import { type ChoiceArguments, findChosen, readUploadChoice, type UploadChoice } from '../choice/choose.ts'
import { addFilterFlags, readMoment } from '../choice/filter.ts'
import { findUploads, type LookedUp } from '../choice/names.ts'
import { type Context, LONG_PATIENCE_MS, type Start } from '../context/context.ts'
import { createGracefulCall } from '../context/interruption.ts'
import { openDeletionNotes } from '../context/uploads.ts'
import { CliError } from '../failures/cli-error.ts'
import { exitCodeOfBatch } from '../failures/exit-codes.ts'
import { hints } from '../failures/hints.ts'
import { formatByteSize, printable } from '../format/format.ts'
import type { ItemRecord } from '../output/events.ts'
import { notes as texts } from '../output/notes.ts'
import { failedRecord, notStartedRecord, uploadFacts } from '../output/records.ts'
import { alignColumns, fitMiddle, loadWidths } from '../output/terminal/terminal-text.ts'

interface DeleteOptions extends ChoiceArguments {
  readonly yes: boolean
  /** Whether to look the uploads up instead of deleting them. */
  readonly dryRun: boolean
}

export function register(command: Command, start: Start): void {
  command
    .description('Show uploads, ask, and delete them for good. A deletion costs 3 units.')
    .argument('[slug|url...]', 'slugs, or any URLs of uploads')
  addFilterFlags(command)
    .addOption(new Option('--older-than <when>', 'the same as --before: 30d').argParser(readWhen).conflicts('before'))
    .option('--from-stdin', 'those listed on stdin, one a line')
    .optionsGroup('How:')
    .option('-y, --yes', 'do not ask')
    .option('-n, --dry-run', 'only show them, for a unit each')
    .addHelpText('after', examples)
    .action((uploads: readonly string[], flags: Partial<DeleteOptions>) => {
      const options = { fromStdin: false, yes: false, dryRun: false, ...flags, uploads }
      start((context) => deleteAll(options, context))
    })
}

// Commander gives a parser the value of the same flag before, too.
const readWhen = (text: string) => readMoment(text)

const examples = `
Examples:
  fh delete aB3dE6gH9j https://files.example/i/kL1mN4pQ7r
  fh delete -n --older-than 30d --type video
  fh list -q | fzf -m | fh delete --from-stdin`

/** Deletes one upload after the other; one failure does not stop the others. */
async function deleteAll(options: DeleteOptions, context: Context): Promise<number> {
  const { reporter, interruption } = context
  const { stopping } = interruption
  const asking = !options.dryRun && !options.yes
  const prompt = await context.prompt(options.fromStdin)
  const choice = await readUploadChoice(options, context, () => {
    // Before any request, since nothing can be deleted without an answer.
    if (asking) prompt.assertPossible('whether to delete', hints.withoutAsking)
  })
  const credentials = await context.credentials()
  let onEvent: (event: ClientEvent) => void = () => {}
  const client = await context.client({ ledgerPatienceMs: LONG_PATIENCE_MS, onEvent: (event) => onEvent(event) })
  const { slugs, known, mayMiss } = await findChosen(choice, { ...credentials, client }, context)
  const looking = (asking || options.dryRun) && choice.type === 'named'
  const found: LookedUp = looking ? await findUploads(slugs, provingClient(client), stopping, known) : known
  const nameOf = createNameOf(credentials.baseUrl, context.io.env)
  if (asking) await loadWidths()
  const question = asking ? deleteQuestion(found, nameOf, context.clock.now()) : undefined
  if (question !== undefined && !(await prompt.confirm(question))) {
    throw new CliError('declined', 'Nothing was deleted')
  }
  await using notes = options.dryRun ? undefined : await openDeletionNotes(credentials, context)
  reporter.report({ type: 'batch-started', transfers: context.transfers.begin(slugs.map(() => undefined)) })
  const records = await runBatch<string, ItemRecord>({
    items: slugs,
    jobs: 1,
    stopping: interruption.stopping,
    work: async (slug) => {
      const upload = found.get(slug)
      if (upload instanceof Error) return failedRecord({ slug }, upload)
      const name = upload === undefined ? '' : nameShown(upload, nameOf)
      if (options.dryRun) {
        return { subject: { slug }, status: 'skipped', upload: upload ?? null, error: null, name }
      }
      using call = createGracefulCall(interruption)
      onEvent = (event) => {
        if (event.type === 'request' && event.attempt === 1) void notes?.begins(slug)
        call.onEvent(event)
      }
      const record = await deleteOne(slug, choice, client, call)
      if (record?.status === 'deleted' || record?.error?.code === 'not-found') await notes?.gone(slug)
      return record && { ...record, name }
    },
    continues: ({ error }) => !error?.stopsBatch,
    notStarted: (slug, stopper) => notStartedRecord({ slug }, stopper?.error),
    onResult: (record, index) => {
      reporter.report({ type: 'item-finished', index, record, link: null })
    },
  })
  const isBrokenOff = records.some(({ status }) => status === 'not_started')
  // A slug that was deleted would not be found again.
  const goesOn = choice.type === 'filtered' || !records.some(({ status }) => status === 'deleted')
  if (isBrokenOff && goesOn && !options.dryRun) context.note(texts.again)
  return exitCodeOfBatch(records, mayMiss)
}

/** @returns undefined where it was stopped before its request left */
async function deleteOne(
  slug: string,
  { type }: UploadChoice,
  client: Client,
  { signal, nothingSent }: ReturnType<typeof createGracefulCall>,
): Promise<ItemRecord | undefined> {
  const deleted = { subject: { slug }, status: 'deleted', upload: null, error: null } as const
  try {
    await client.delete(slug, { signal })
    return deleted
  } catch (error) {
    if (isAbort(error) && nothingSent()) return undefined
    // What a filter chose is to be gone: another run may have been first.
    if (type === 'filtered' && error instanceof NotFoundError) return deleted
    return failedRecord({ slug }, error)
  }
}

/** The rows are: slug, type, size, age, name. */
const sizeColumn = 2
/** A service may send a title of any length. */
const NAME_WIDTH = 60
/** Of more uploads, a question shows the first ones: the rest would scroll away. */
const MOST_ROWS = 20

/**
 * The question before uploads are deleted, with a row for each of the first ones; undefined if no upload was found.
 *
 * @param now epoch milliseconds
 */
function deleteQuestion(found: LookedUp, nameOf: NameOf, now: number): string | undefined {
  const going = [...found].flatMap(([slug, upload]) => (upload instanceof Error ? [] : [{ slug, upload }]))
  if (going.length === 0) return undefined
  const missing = [...found].flatMap(([slug, upload]) => (upload instanceof Error ? [printable(slug)] : []))
  const rows = going
    .slice(0, MOST_ROWS)
    .map(({ slug, upload }) => [`  ${printable(slug)}`, ...uploadFacts(upload, now), nameShown(upload, nameOf)])
  const more = going.length - rows.length
  const bytes = going.reduce((sum, { upload }) => sum + upload.size, 0)
  return [
    ...(missing.length > 0 ? [`Not found: ${missing.join(', ')}`] : []),
    ...alignColumns(rows, [sizeColumn]),
    ...(more > 0 ? [`  and ${more.toLocaleString('en')} more (add -n to this command to list them all)`] : []),
    `Delete ${counted(going.length, 'upload')} (${formatByteSize(bytes)}) for good? [y/N] `,
  ].join('\n')
}

/** Printable; empty where no name is known. */
function nameShown(upload: Upload, nameOf: NameOf): string {
  return fitMiddle(printable(nameOf(upload) ?? ''), NAME_WIDTH)
}
