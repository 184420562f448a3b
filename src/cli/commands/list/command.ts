import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Client, Upload } from '../../../index.ts'
import { addFilterFlags, type FilterFlags, isFiltered } from '../../choice/filter-flags.ts'
import type { MatchingTools, UploadFilter } from '../../choice/upload-filter.ts'
import type { Context } from '../../context/context.ts'
import { usageError } from '../../failures/cli-error.ts'
import { namesShown } from '../../journal/names-shown.ts'
import type { NameOf } from '../../journal/recorded-names.ts'
import type { Note } from '../../output/messages.ts'

export interface ListCommandOptions extends FilterFlags, SortOrder {
  readonly page?: number | undefined
  readonly all: boolean
  readonly limit?: number | undefined
}

const defaults = { all: false, sort: 'created', reverse: false } as const

export function register(command: Command, start: (options: ListCommandOptions) => void): void {
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
    .action((flags: Partial<ListCommandOptions>) => start({ ...defaults, ...flags }))
}

const examples = `
Examples:
  fh list --since 7d --type image
  fh list --sort size --limit 5
  fh list --all --jsonl --fields slug,size`

export async function run(options: ListCommandOptions, context: Context): Promise<void> {
  const { reporter, interruption, clock } = context
  const { limit = Number.POSITIVE_INFINITY, page = 1, sort, reverse } = options
  const isSorted = sort !== 'created' || reverse
  if (options.page !== undefined && (isSorted || isFiltered(options))) {
    throw usageError('--page cannot be used with filters or another order: they read all pages', 'Use --limit instead')
  }
  const filter = isFiltered(options)
    ? (await import('../../choice/read-filter.ts')).readFilter(options, clock.now())
    : undefined
  const credentials = await context.credentials()
  const client = await context.client({ credentials })
  const nameOf = await namesShown(credentials.baseUrl, context, filter?.name !== undefined || sort === 'name')
  const tools = { client, nameOf: nameOf ?? (() => null), reporter, signal: interruption.stopping }
  const source = await uploadsOf(options, { ...tools, filter, isSorted })
  const order = { sort, reverse }
  let shown = 0
  for await (const upload of isSorted ? sortUploads(await collected(source), order, tools.nameOf) : source) {
    reporter.report({ type: 'upload-listed', upload, name: nameOf?.(upload) })
    shown += 1
    if (shown >= limit) break
  }
  reporter.report({ type: 'list-ended' })
  const note = filter && shown === 0 ? ({ type: 'no-match' } as const) : noteOn(shown, page, source.rest?.())
  if (note !== undefined) reporter.report({ type: 'note', note })
}

interface Listed extends AsyncIterable<Upload> {
  /** What the page said about the other pages; undefined if all pages are read. */
  readonly rest?: () => { readonly total: number; readonly lastPage: number } | undefined
}

interface Tools extends MatchingTools {
  readonly client: Client
  readonly filter: UploadFilter | undefined
  readonly isSorted: boolean
}

async function uploadsOf({ page, all, limit }: ListCommandOptions, tools: Tools): Promise<Listed> {
  const { client, signal, filter, isSorted } = tools
  if (filter) return (await import('../../choice/upload-filter.ts')).matchingUploads(filter, tools)
  if (all || isSorted || (page === undefined && limit !== undefined)) return client.uploads({ signal })
  let rest: { total: number; lastPage: number } | undefined
  async function* onePage(): AsyncGenerator<Upload> {
    const { data, total, last_page: lastPage } = await client.list({ page: page ?? 1, signal })
    rest = { total, lastPage }
    yield* data
  }
  return Object.assign(onePage(), { rest: () => rest })
}

async function collected(source: Listed): Promise<readonly Upload[]> {
  const uploads: Upload[] = []
  for await (const upload of source) uploads.push(upload)
  return uploads
}

/** Explains an empty list, and how to see more. */
function noteOn(shown: number, page: number, rest: ReturnType<NonNullable<Listed['rest']>>): Note | undefined {
  if (rest !== undefined && page > rest.lastPage) return { type: 'page-beyond-last', page, lastPage: rest.lastPage }
  if (shown === 0) return { type: 'no-uploads' }
  return rest === undefined || page === rest.lastPage ? undefined : { type: 'more-pages', page, ...rest }
}

function parseCount(text: string): number {
  const count = Number(text)
  if (Number.isSafeInteger(count) && count >= 1) return count
  throw new InvalidArgumentError('Give a whole number from 1.')
}

/** The values of `--sort`; uploads are `created` in the order of the service's list, newest first. */
export const sortKeys = ['created', 'size', 'views', 'name'] as const
export type SortKey = (typeof sortKeys)[number]

export interface SortOrder {
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
