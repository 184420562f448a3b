import type { GlobalFlags } from '../config/global-flags.ts'
import { usageError } from '../failures/cli-error.ts'
import { parseFields } from '../output/fields.ts'
import { toJsonLine } from '../output/format/format.ts'
import { type CatalogEntry, catalog } from './catalog.ts'
import type { GuardedOutput, HostProcess } from './host.ts'
import { type Invocation, parseArgv } from './program.ts'

/**
 * Runs one command line from start to end. What runs a command is loaded when there is one to run: help needs none of it.
 * @returns the exit code
 */
export async function runCli(argv: readonly string[], host: HostProcess, output: GuardedOutput): Promise<number> {
  let invocation: Invocation
  try {
    invocation = await parseArgv(argv)
    if (invocation.type === 'run') checkFlags(invocation.entry, invocation.flags)
  } catch (error) {
    return await explain(error, argv, host, output)
  }
  if (invocation.type === 'run') {
    const { execute } = await import('./execution.ts')
    return await execute(invocation, host, output)
  }
  const { flags } = guessForm(argv)
  if (!flags.json && !flags.jsonl) {
    output[invocation.misuse ? 'stderr' : 'stdout'](invocation.text)
    return invocation.misuse ? 2 : 0
  }
  if (invocation.misuse)
    return await explain(usageError('No command was given', 'fh help lists them'), argv, host, output)
  output.stdout(`${toJsonLine({ [invocation.what]: invocation.text.trimEnd() })}\n`)
  return 0
}

/**
 * Tells of what went wrong outside of a command, in the form the command line seems to ask for.
 * @returns the exit code
 */
export async function explain(
  error: unknown,
  argv: readonly string[],
  host: HostProcess,
  output: GuardedOutput,
): Promise<number> {
  const { tellFailure } = await import('./execution.ts')
  return await tellFailure(error, guessForm(argv), host, output)
}

function checkFlags({ fields, textFields, lines }: CatalogEntry, flags: GlobalFlags): void {
  if (flags.jsonl && !lines) {
    const names = Object.keys(catalog).filter((name) => catalog[name]?.lines)
    throw usageError(`--jsonl is for ${names.join(', ')}`, 'Use --json here')
  }
  if (flags.fields === undefined) return
  if (fields.length === 0) throw usageError('--fields has no meaning here')
  if (!textFields && !flags.json && !flags.jsonl) throw usageError('--fields needs --json or --jsonl here')
  parseFields(flags.fields, fields)
}

/** What a command line that cannot be read seems to want: programs get their errors as JSON all the same. */
function guessForm(argv: readonly string[]): { readonly entry: CatalogEntry; readonly flags: GlobalFlags } {
  const words = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined)
  const [, entry] = Object.entries(catalog).find(([name]) => words.includes(name)) ?? []
  return {
    // Where a command of the user's own follows, standard output is for that one.
    entry: argv.includes('--') ? (entry ?? noCommand) : { ...(entry ?? noCommand), document: documentOf(entry) },
    flags: { json: words.includes('--json'), jsonl: words.includes('--jsonl'), debug: words.includes('--debug') },
  }
}

function documentOf(entry: CatalogEntry = noCommand): CatalogEntry['document'] {
  return entry.document === 'own' ? 'value' : entry.document
}

const noCommand: CatalogEntry = {
  summary: '',
  document: 'value',
  lines: false,
  fields: [],
  textFields: false,
  takesFiles: false,
  transfers: false,
  attach: async () => {},
}
