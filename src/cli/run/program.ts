import { Command, CommanderError, Option } from 'commander'
import { version } from '../../../package.json'
import { addGlobalFlags, chosenFormat, type GlobalFlags, globalFlagsOf } from '../config/global-flags.ts'
import type { Action, Start } from '../context/context.ts'
import { usageError } from '../failures/cli-error.ts'
import { hints } from '../failures/hints.ts'
import { parseFields } from '../output/fields.ts'
import { commandBelow, helpStyle, helpWidth } from '../output/help-layout.ts'
import { type CatalogEntry, catalog, plainEntry } from './catalog.ts'

export interface Invocation {
  readonly entry: Omit<CatalogEntry, 'summary' | 'load'>
  readonly flags: GlobalFlags
  readonly fields: readonly string[] | undefined
  /** What is printed as text in place of a run: help or version, as they are asked for, or help where nothing is. */
  readonly help?: { readonly text: string; readonly isAsked: boolean }
  /** Throws what is wrong with the command line. */
  readonly run: Action
}

/** Parses a command line; loads the code of its command only. */
export async function parseArgv(argv: readonly string[]): Promise<Invocation> {
  let printed = ''
  let run = failing(usageError('No command was given', hints.commands))
  const program = createProgram((text) => {
    printed += text
  })
  let named = program
  program.hook('preSubcommand', async (_, command) => {
    named = command
    command.hook('preSubcommand', (_, below) => {
      named = below
    })
    await declare(command, argv, (action) => {
      run = action
    })
  })
  try {
    await program.parseAsync(argv, { from: 'user' })
    const [entry, flags] = [entryOf(named), globalFlagsOf(named)]
    return { entry, flags, fields: checkFlags(entry, flags), run }
  } catch (error) {
    const guessed = { ...guess(argv, entryOf(named)), run }
    if (!(error instanceof CommanderError)) return { ...guessed, run: failing(error) }
    const isText = chosenFormat(guessed.flags) === undefined
    // Programs get an error where nothing is asked for.
    if (error.code === 'commander.help')
      return isText ? { ...guessed, help: { text: printed, isAsked: false } } : guessed
    const name = { 'commander.version': 'version', 'commander.helpDisplayed': 'help' }[error.code]
    if (name !== undefined) {
      const text = printed.trimEnd()
      const print: Action = (context) => context.print({ data: { [name]: text }, text })
      return isText
        ? { ...guessed, help: { text: printed, isAsked: true } }
        : { ...guessed, entry: plainEntry, run: print }
    }
    const { explainMisuse, uploadMeant } = await import('./misuse.ts')
    const upload = uploadMeant(argv, program)
    if (upload === undefined) return { ...guessed, run: failing(explainMisuse(error, named)) }
    const { run: runUpload, ...meant } = await parseArgv(upload.words)
    return { ...meant, run: async (context) => upload.confirm(context).then(() => runUpload(context)) }
  }
}

function failing(error: unknown): Action {
  return () => {
    throw error
  }
}

/** What stands in words that cannot be parsed: programs get their errors as JSON all the same. */
function guess(argv: readonly string[], entry: Invocation['entry']): Omit<Invocation, 'run'> {
  // After -- stands the user's own command, which gets stdout.
  const words = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  const [json, jsonl, debug] = ['--json', '--jsonl', '--debug'].map((flag) => words.includes(flag))
  const document = entry.document === 'own' && words === argv ? 'value' : entry.document
  return { entry: { ...entry, document }, flags: { json, jsonl, debug } as GlobalFlags, fields: undefined }
}

/** A command below another prints one value, even where that has a document of its own. */
function entryOf(command: Command): Invocation['entry'] {
  const isBelow = command.parent?.parent != null
  const entry = catalog[(isBelow ? command.parent : command)?.name() ?? ''] ?? plainEntry
  return isBelow ? { ...entry, document: 'value' } : entry
}

/** @returns the fields that are asked for. @throws CliError for a flag that the command does not take */
function checkFlags(entry: Invocation['entry'], flags: GlobalFlags): readonly string[] | undefined {
  const format = chosenFormat(flags)
  if (format === 'jsonl' && !entry.lines) {
    const able = Object.keys(catalog).filter((other) => catalog[other]?.lines)
    throw usageError(`--jsonl is for ${able.join(', ')}; others have --json`)
  }
  if (flags.fields === undefined) return undefined
  if (entry.fields.length === 0) throw usageError('--fields is not supported by this command')
  if (!entry.textFields && format === undefined) throw usageError('--fields needs --json or --jsonl here')
  return parseFields(flags.fields, entry.fields)
}

/** All commands by name; those among the words with their arguments and flags. */
export async function describeProgram(words: readonly string[]): Promise<Command> {
  const program = createProgram(() => {})
  const named = new Set(words.flatMap((word) => commandBelow(program, word) ?? []))
  for (const command of named) await declare(command, words, () => {})
  return program
}

async function declare(command: Command, argv: readonly string[], start: Start): Promise<void> {
  command.optionsGroup('Flags:')
  const module = await catalog[command.name()]?.load()
  module?.register(command, start, argv)
  for (const one of [command, ...command.commands]) addGlobalFlags(one)
}

const furtherHelp = `
fh help COMMAND shows flags and examples; fh help flags the flags of every
command. See also fh help exit-codes, fh help environment, fh --version.`

function createProgram(print: (text: string) => void): Command {
  const program = new Command('fh')
    .description('Upload images and videos to a file-hosting service, list and download them.')
    .usage('<command> [arguments] [flags]')
    .helpCommand(false)
    .version(version, '-V, --version', 'show the version')
    // Flags after a command's name are that command's own, so that the words after -- reach it untouched.
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp(helpStyle)
    // No more than 80 columns on a wide terminal.
    .configureOutput({ writeOut: print, writeErr: print, getOutHelpWidth: helpWidth, getErrHelpWidth: helpWidth })
    .addHelpText('after', furtherHelp)
  for (const [name, { summary, alias }] of Object.entries(catalog)) {
    const command = program.command(name).summary(summary)
    if (alias !== undefined) command.alias(alias)
  }
  addGlobalFlags(program)
  return program.addHelpOption(new Option('-h, --help', 'show this help').hideHelp())
}
