import { type Command, Option } from 'commander'
import { assertPage, IncompleteListError } from '../../client/each-page.ts'
import type { Upload, UploadPage } from '../../index.ts'
import { createNameOf, type NameOf } from '../../uploads/names.ts'
import { addFilterFlags, isFiltered, matchingUploads, noUploads, type UploadFilter } from '../choice/filter.ts'
import { chosenFormat } from '../config/global-flags.ts'
import type { Context, Start } from '../context/context.ts'
import { usageError } from '../failures/cli-error.ts'
import { wholeNumberFlag } from '../input/flag-values.ts'
import { notes } from '../output/notes.ts'

interface ListCommandOptions extends UploadFilter, SortOrder {
  readonly page?: number | undefined
  readonly all: boolean
  readonly limit?: number | undefined
}

const parseCount = wholeNumberFlag(1, Number.MAX_SAFE_INTEGER, 'Give a whole number from 1.')

const defaults = { all: false, sort: 'created', reverse: false } as const

export function register(command: Command, start: Start): void {
  command
    .description('List the newest 50 uploads, or all that match; a pipe gets slug<TAB>url lines.')
    .optionsGroup('How many, in which order:')
    .addOption(new Option('--page <n>', 'only this page of 50').argParser(parseCount))
    .addOption(new Option('--all', 'all pages; each page of 50 costs a unit').conflicts('page'))
    .addOption(new Option('--limit <n>', 'at most this many, from as many pages as needed').argParser(parseCount))
    .addOption(new Option('--sort <by>', 'order').choices(sortKeys))
    .option('--reverse', 'oldest, smallest, least viewed or Z first')
  addFilterFlags(command)
    .addHelpText('after', examples)
    .action((flags: Partial<ListCommandOptions>) => {
      start((context) => listUploads({ ...defaults, ...flags }, context))
    })
}

const examples = `
Examples:
  fh list --since 7d --type image
  fh list --sort size --limit 5
  fh list --all --jsonl --fields slug,size`

async function listUploads(options: ListCommandOptions, context: Context): Promise<void> {
  const { note, reporter, interruption, io, flags } = context
  const { limit = Number.POSITIVE_INFINITY, page = 1, sort, reverse } = options
  const { stopping: signal } = interruption
  const isSorted = sort !== 'created' || reverse
  const isChosen = isFiltered(options)
  if (options.page !== undefined && (isSorted || isChosen)) {
    throw usageError('--page cannot be used with filters or another order: they read all pages; use --limit')
  }
  const credentials = await context.credentials()
  const client = await context.client()
  const nameOf = createNameOf(credentials.baseUrl, io.env)
  // A limit reads as many pages as it needs.
  const isWhole = options.all || isSorted || isChosen || limit < Number.POSITIVE_INFINITY
  const only = options.page !== undefined || !isWhole ? await client.list({ page, signal }) : undefined
  let shown = 0
  // Lines of slug and URL have no names, and nothing is opened for them.
  const isNamed = io.stdout.isTTY || flags.fields !== undefined || chosenFormat(flags) !== undefined
  const show = (upload: Upload) => {
    reporter.report({ type: 'upload-listed', upload, name: isNamed ? nameOf(upload) : undefined })
    shown += 1
  }
  const toSort: Upload[] = []
  const found = only ? onePage(page, only) : matchingUploads(options, { client, nameOf, signal })
  const incomplete = await readUntilIncomplete(found, (upload) => {
    if (isSorted) toSort.push(upload)
    else show(upload)
    return shown < limit
  })
  sortUploads(toSort, options, nameOf).slice(0, limit).forEach(show)
  if (incomplete) throw incomplete
  const { last_page: lastPage = page, total = 0 } = only ?? {}
  if (page !== lastPage && total > 0) note(notes.pages(page, lastPage, total))
  else if (shown === 0) note(noUploads(options))
}

async function* onePage(number: number, page: UploadPage): AsyncGenerator<Upload> {
  yield* page.data
  assertPage(number, page)
}

/**
 * What could be read is taken before it is said that there may be more.
 * @param take says whether it wants another
 */
async function readUntilIncomplete(
  uploads: AsyncIterable<Upload>,
  take: (upload: Upload) => boolean,
): Promise<IncompleteListError | undefined> {
  try {
    for await (const upload of uploads) if (!take(upload)) break
    return undefined
  } catch (error) {
    if (error instanceof IncompleteListError) return error
    throw error
  }
}

/** The values of `--sort`; uploads are `created` in the order of the service's list, newest first. */
const sortKeys = ['created', 'size', 'views', 'name'] as const
type SortKey = (typeof sortKeys)[number]

interface SortOrder {
  readonly sort: SortKey
  readonly reverse: boolean
}

/** Newest, largest and most viewed first, names from A to Z; of equal ones the newest first. */
function sortUploads(uploads: readonly Upload[], order: SortOrder, nameOf: NameOf): readonly Upload[] {
  const { sort, reverse } = order
  if (sort === 'created') return reverse ? uploads.toReversed() : uploads
  if (sort === 'name') return byName(uploads, reverse, nameOf)
  return uploads.toSorted((one, other) => (reverse ? one[sort] - other[sort] : other[sort] - one[sort]))
}

/** In every language alike, `IMG_2` before `IMG_10`. Uploads without a name come last in both orders. */
function byName(uploads: readonly Upload[], reverse: boolean, nameOf: NameOf): readonly Upload[] {
  const { compare } = new Intl.Collator('en', { numeric: true })
  const all = uploads.map((upload) => ({ upload, name: nameOf(upload) }))
  const named = all.flatMap(({ upload, name }) => (name === null ? [] : [{ upload, name }]))
  named.sort((one, other) => (reverse ? compare(other.name, one.name) : compare(one.name, other.name)))
  return [...named, ...all.filter(({ name }) => name === null)].map(({ upload }) => upload)
}
