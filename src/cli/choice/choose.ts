import type { Readable } from 'node:stream'
import { IncompleteListError } from '../../client/each-page.ts'
import type { Client, Upload } from '../../index.ts'
import type { Context } from '../context/context.ts'
import { usageError } from '../failures/cli-error.ts'
import { describeFailure } from '../failures/failure.ts'
import { listLimit, listText, readAll } from '../input/stdin-text.ts'
import { notes } from '../output/notes.ts'
import { isFiltered, matchingUploads, noUploads, type UploadFilter } from './filter.ts'
import { findForeign, firstColumn, parseUploadName, slugsOf, type UploadName } from './names.ts'

/** How the command line says which uploads a command acts on. */
export interface ChoiceArguments extends UploadFilter {
  readonly uploads: readonly string[]
  readonly fromStdin: boolean
  /** Whether all uploads are meant that no filter leaves out. */
  readonly all?: boolean
}

/** Uploads by their names, or all that a filter means. */
export type UploadChoice =
  | { readonly type: 'named'; readonly names: readonly UploadName[] }
  | { readonly type: 'filtered'; readonly filter: UploadFilter }

/**
 * Reads which uploads are meant; standard input to its end, if it is the list.
 *
 * @param beforeStdin checks what can be checked without the list
 * @throws CliError of code `usage` if there are none, or both names and filters, or a name is wrong
 */
export async function readUploadChoice(
  choice: ChoiceArguments,
  { io, interruption }: Context,
  beforeStdin: () => void = () => {},
): Promise<UploadChoice> {
  const isNamed = choice.uploads.length > 0 || choice.fromStdin
  const hasFilter = isFiltered(choice)
  if (isNamed && (hasFilter || choice.all)) {
    throw usageError(`Slugs and ${hasFilter ? 'filters' : '--all'} cannot be used together`)
  }
  const isAny = hasFilter || choice.all === true
  if (!isNamed && !isAny) {
    const all = choice.all === undefined ? '' : ', --all'
    throw usageError(`No uploads given: name slugs or URLs, --from-stdin${all}, or filters`)
  }
  const given = choice.uploads.map(parseUploadName)
  beforeStdin()
  if (isAny) return { type: 'filtered', filter: choice }
  const listed = choice.fromStdin ? await readListedUploads(io.stdin, interruption.stopping) : []
  return { type: 'named', names: [...given, ...listed] }
}

/**
 * Finds the uploads that a filter means, at a unit per page, and those named by the address of another host.
 * @returns in their order; `known` are those that have been looked up already, by slug; `mayMiss`: whether a filter may mean
 * others too, which the list did not show
 */
export async function findChosen(
  choice: UploadChoice,
  { baseUrl, client }: { readonly baseUrl: string; readonly client: Client },
  { io, note, reporter, interruption }: Context,
) {
  const signal = interruption.stopping
  if (choice.type === 'named') {
    const known = await findForeign(choice.names, { baseUrl, client, signal })
    if (choice.names.length === 0) note(notes.none('uploads'))
    return { slugs: slugsOf(choice.names), known, mayMiss: false }
  }
  const { createNameOf } = await import('../../uploads/names.ts')
  const known = new Map<string, Upload>()
  const tools = { client, nameOf: createNameOf(baseUrl, io.env), signal }
  let mayMiss = false
  try {
    for await (const upload of matchingUploads(choice.filter, tools)) known.set(upload.slug, upload)
  } catch (error) {
    if (!(error instanceof IncompleteListError)) throw error
    mayMiss = true
    reporter.report({ type: 'failed', failure: describeFailure(error) })
  }
  if (known.size === 0 && !mayMiss) note(noUploads(choice.filter))
  return { slugs: [...known.keys()], known, mayMiss }
}

/**
 * Reads the uploads listed on standard input, one a line, to its end.
 * @throws CliError of code `usage` if one is neither a slug nor a URL, or the list is too large
 */
export async function readListedUploads(stdin: Readable, stopping: AbortSignal): Promise<readonly UploadName[]> {
  const lines = listText(await readAll(stdin, stopping, listLimit), '--from-stdin').split('\n')
  const names = lines.map(firstColumn).filter((name) => name !== '')
  return names.map(parseUploadName)
}
