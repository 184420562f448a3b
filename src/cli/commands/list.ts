import { type Command, Option } from 'commander'
import type { Upload, UploadPage } from '../../index.ts'
import { assertPage, IncompleteListError } from '../../internal.ts'
import { counted } from '../../protocol/quantities.ts'
import type { NameOf } from '../../uploads/names.ts'
import {
  addFilterFlags,
  allPages,
  type FilterFlags,
  isFiltered,
  type MatchingTools,
  matchingUploads,
  noMatch,
  readFilter,
  type UploadFilter,
} from '../choice/filter.ts'
import { namesShown } from '../choice/names.ts'
import { chosenFormat } from '../config/global-flags.ts'
import type { Context, Start } from '../context/context.ts'
import { usageError } from '../failures/cli-error.ts'
import { wholeNumberFlag } from '../input/flag-values.ts'

interface ListCommandOptions extends FilterFlags, SortOrder {
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
  const { note, reporter, interruption, clock } = context
  const { limit = Number.POSITIVE_INFINITY, page = 1, sort, reverse } = options
  const { stopping: signal } = interruption
  const isSorted = sort !== 'created' || reverse
  const filter = filterOf(options, isSorted, clock.now())
  const credentials = await context.credentials()
  const client = await context.client({ credentials })
  const isDocument = chosenFormat(context.flags) !== undefined && context.flags.fields === undefined
  const isNamed = filter?.name !== undefined || sort === 'name' || isDocument
  const known = await namesShown(credentials.baseUrl, context, isNamed)
  const nameOf = known ?? (() => null)
  const isWhole = options.all || isSorted || filter !== undefined
  const only = isOnePage(options, isWhole) ? await client.list({ page, signal }) : undefined
  const most = isSorted ? undefined : options.limit
  const tools = { client, nameOf, note, signal }
  const all = only ? onePage(page, only) : allUploads(filter, most, tools)
  let incomplete: IncompleteListError | undefined
  const found = untilIncomplete(all, (error) => {
    incomplete = error
  })
  let shown = 0
  for await (const upload of isSorted ? sortUploads(await Array.fromAsync(found), { sort, reverse }, nameOf) : found) {
    reporter.report({ type: 'upload-listed', upload, name: known?.(upload) })
    shown += 1
    if (shown >= limit) break
  }
  reporter.report({ type: 'list-ended' })
  if (incomplete) throw incomplete
  const remark = remarkOn(shown, page, filter !== undefined, only)
  if (remark !== undefined) note(remark)
}

function filterOf(options: ListCommandOptions, isSorted: boolean, now: number): UploadFilter | undefined {
  if (options.page !== undefined && (isSorted || isFiltered(options))) {
    throw usageError('--page cannot be used with filters or another order: they read all pages', 'Use --limit instead')
  }
  return isFiltered(options) ? readFilter(options, now) : undefined
}

/** A limit reads as many pages as it needs. */
function isOnePage({ page, limit }: ListCommandOptions, isWhole: boolean): boolean {
  return page !== undefined || (limit === undefined && !isWhole)
}

async function* onePage(number: number, page: UploadPage): AsyncGenerator<Upload> {
  yield* page.data
  assertPage(number, page)
}

/** What could be read is shown before it is said that there may be more. */
async function* untilIncomplete(
  uploads: AsyncIterable<Upload>,
  onIncomplete: (error: IncompleteListError) => void,
): AsyncGenerator<Upload> {
  try {
    yield* uploads
  } catch (error) {
    if (!(error instanceof IncompleteListError)) throw error
    onIncomplete(error)
  }
}

/** @param most how many are wanted of a list without a filter; undefined for all */
async function* allUploads(
  filter: UploadFilter | undefined,
  most: number | undefined,
  tools: MatchingTools,
): AsyncGenerator<Upload> {
  if (filter !== undefined) yield* matchingUploads(filter, tools)
  else for await (const page of allPages(tools.client, tools.signal, most)) yield* page
}

/** Explains an empty list, and how to see more. @param only the one page that was read */
function remarkOn(shown: number, page: number, isFiltered: boolean, only?: UploadPage): string | undefined {
  const { last_page: lastPage = page, total = 0 } = only ?? {}
  if (page > lastPage) return `Page ${page} is beyond the last page, ${lastPage}`
  if (shown === 0) return isFiltered ? noMatch : 'No uploads'
  if (page >= lastPage) return undefined
  return `Page ${page} of ${lastPage}, ${counted(total, 'upload')} in total; --page ${page + 1} or --all shows more`
}

/** The values of `--sort`; uploads are `created` in the order of the service's list, newest first. */
const sortKeys = ['created', 'size', 'views', 'name'] as const
export type SortKey = (typeof sortKeys)[number]

interface SortOrder {
  readonly sort: SortKey
  readonly reverse: boolean
}

/** Newest, largest and most viewed first, names from A to Z; of equal ones the newest first. */
export function sortUploads(uploads: readonly Upload[], order: SortOrder, nameOf: NameOf): readonly Upload[] {
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
