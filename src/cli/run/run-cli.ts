import type { GlobalFlags } from '../config/global-flags.ts'
import { chosenFormat } from '../config/global-flags.ts'
import type { GuardedOutput, HostProcess } from '../context/host.ts'
import { usageError } from '../failures/cli-error.ts'
import { wrongField } from '../output/fields.ts'
import { type CatalogEntry, catalog, firstCommand, plainEntry } from './catalog.ts'
import { type Invocation, parseArgv } from './program.ts'

/**
 * Runs one command line from start to end. The code that runs commands is loaded only where there is one to run: help
 * needs none of it.
 * @returns the exit code
 */
export async function runCli(argv: readonly string[], host: HostProcess, output: GuardedOutput): Promise<number> {
  let invocation: Invocation
  try {
    invocation = await parseArgv(argv)
    if (invocation.type === 'run') await checkFlags(invocation)
  } catch (error) {
    return await explain(error, argv, host, output)
  }
  if (invocation.type === 'run') {
    const { execute } = await import('./execution.ts')
    return await execute(invocation, host, output)
  }
  const { text, what, misuse } = invocation
  if (chosenFormat(guessCommand(argv).flags) === undefined) {
    output[misuse ? 'stderr' : 'stdout'](text)
    return misuse ? 2 : 0
  }
  if (misuse) return await explain(usageError('No command was given', 'fh help lists them'), argv, host, output)
  const { toJsonLine } = await import('../format/format.ts')
  output.stdout(`${toJsonLine({ [what]: text.trimEnd() })}\n`)
  return 0
}

/**
 * Reports a failure outside of a command, in the format the command line seems to ask for.
 * @returns the exit code
 */
export async function explain(
  error: unknown,
  argv: readonly string[],
  host: HostProcess,
  output: GuardedOutput,
): Promise<number> {
  const { reportOutside } = await import('./execution.ts')
  return await reportOutside(error, guessCommand(argv), host, output)
}

async function checkFlags({ entry, flags }: Extract<Invocation, { type: 'run' }>): Promise<void> {
  const format = chosenFormat(flags)
  if (format === 'jsonl' && !entry.lines) {
    const able = Object.keys(catalog).filter((other) => catalog[other]?.lines)
    throw usageError(`--jsonl is for ${able.join(', ')}`, 'Use --json here')
  }
  if (flags.fields === undefined) return
  if (entry.fields.length === 0) throw usageError('--fields is not supported by this command')
  if (!entry.textFields && format === undefined) throw usageError('--fields needs --json or --jsonl here')
  const wrong = wrongField(flags.fields, entry.fields)
  if (wrong !== undefined) throw (await import('./usage-errors.ts')).unknownFieldError(wrong, entry.fields)
}

/** The command and the flags of a command line that cannot be parsed: programs get their errors as JSON all the same. */
function guessCommand(argv: readonly string[]): { readonly entry: CatalogEntry; readonly flags: GlobalFlags } {
  const separator = argv.indexOf('--')
  const words = separator < 0 ? argv : argv.slice(0, separator)
  const [, entry = noCommand] = firstCommand(words) ?? []
  // The words after -- are the user's own command, which gets standard output.
  const document = entry.document === 'own' && separator < 0 ? 'value' : entry.document
  const [json, jsonl, debug] = ['--json', '--jsonl', '--debug'].map((flag) => words.includes(flag))
  return { entry: { ...entry, document }, flags: { json, jsonl, debug } as GlobalFlags }
}

const noCommand: CatalogEntry = { ...plainEntry, summary: '', attach: async () => {} }
