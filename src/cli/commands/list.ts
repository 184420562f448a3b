import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Client, Upload } from '../../index.ts'
import { namesShown } from '../journal/names-shown.ts'
import type { Note } from '../output/notes.ts'
import type { Context } from '../run/context.ts'

export interface ListOptions {
  readonly page?: number | undefined
  readonly all: boolean
  readonly limit?: number | undefined
}

export function register(command: Command, start: (options: ListOptions) => void): void {
  command
    .description('List uploads, newest first; the first 50 unless --page, --limit or --all is given.')
    .addOption(new Option('--page <n>', 'only this page of 50').argParser(parseCount))
    .addOption(new Option('--all', 'all pages').conflicts('page'))
    .addOption(new Option('--limit <n>', 'at most this many, from as many pages as needed').argParser(parseCount))
    .addHelpText('after', examples)
    .action((flags: Partial<ListOptions>) => start({ all: false, ...flags }))
}

const examples = `
Prints a table on a terminal, slug<TAB>url lines to a pipe or file.

Examples:
  fh list
  fh list --all --jsonl --fields slug,size
  fh list --limit 5 | cut -f2`

/** Each page costs one request. */
export async function run(options: ListOptions, context: Context): Promise<void> {
  const { reporter, interruption } = context
  const credentials = await context.credentials()
  const client = await context.client({ credentials })
  const nameOf = await namesShown(credentials.baseUrl, context)
  const source = uploadsOf(options, client, interruption.stopping)
  const limit = options.limit ?? Number.POSITIVE_INFINITY
  let shown = 0
  for await (const upload of source) {
    reporter.report({ type: 'upload-listed', upload, name: nameOf?.(upload) })
    shown += 1
    if (shown >= limit) break
  }
  reporter.report({ type: 'list-ended' })
  const note = noteOn(shown, options.page ?? 1, source.rest?.())
  if (note !== undefined) reporter.report({ type: 'note', note })
}

interface Listed extends AsyncIterable<Upload> {
  /** What the page said about the other pages; undefined if all pages are read. */
  readonly rest?: () => { readonly total: number; readonly lastPage: number } | undefined
}

function uploadsOf({ page, all, limit }: ListOptions, client: Client, signal: AbortSignal): Listed {
  if (all || (page === undefined && limit !== undefined)) return client.uploads({ signal })
  let rest: { total: number; lastPage: number } | undefined
  async function* onePage(): AsyncGenerator<Upload> {
    const { data, total, last_page: lastPage } = await client.list({ page: page ?? 1, signal })
    rest = { total, lastPage }
    yield* data
  }
  return Object.assign(onePage(), { rest: () => rest })
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
