import { Command, CommanderError, Option } from 'commander'
import { version } from '../../../package.json'
import { addGlobalFlags, chosenFormat, type GlobalFlags, globalFlagsOf } from '../config/global-flags.ts'
import type { Action, Start } from '../context/context.ts'
import { usageError } from '../failures/cli-error.ts'
import { hints } from '../failures/hints.ts'
import { parseFields } from '../output/fields.ts'
import { commandBelow, helpStyle, helpWidth } from '../output/help-layout.ts'
import { type CatalogEntry, catalog } from './catalog.ts'

export interface Invocation {
  readonly document: CatalogEntry['document']
  readonly flags: GlobalFlags
  readonly fields: readonly string[] | undefined
  /** What is printed in place of a run: help or version, as they are asked for, or help where nothing is. */
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
    const [document, flags] = [documentOf(named), globalFlagsOf(named)]
    return { document, flags, fields: fieldsAsked(document, flags), run }
  } catch (error) {
    const guessed = { ...guess(argv, documentOf(named)), run }
    if (!(error instanceof CommanderError)) return { ...guessed, run: failing(error) }
    const isText = chosenFormat(guessed.flags) === undefined
    // Programs get an error.
    if (error.code === 'commander.help')
      return isText ? { ...guessed, help: { text: printed, isAsked: false } } : guessed
    const name = { 'commander.version': 'version', 'commander.helpDisplayed': 'help' }[error.code]
    const text = isText ? printed : `${JSON.stringify({ [name ?? '']: printed.trimEnd() })}\n`
    if (name !== undefined) return { ...guessed, help: { text, isAsked: true } }
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
function guess(argv: readonly string[], document: CatalogEntry['document']): Omit<Invocation, 'run'> {
  // After -- stands the user's own command, which gets stdout.
  const words = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  const [json, jsonl, debug] = ['--json', '--jsonl', '--debug'].map((flag) => words.includes(flag))
  const flags = { json, jsonl, debug } as GlobalFlags
  return { document: document === 'own' && words === argv ? 'value' : document, flags, fields: undefined }
}

/** A command below another prints one value, even where that has a document of its own. */
function documentOf(command: Command): CatalogEntry['document'] {
  return (command.parent?.parent ? undefined : catalog[command.name()]?.document) ?? 'value'
}

function fieldsAsked(document: CatalogEntry['document'], flags: GlobalFlags): readonly string[] | undefined {
  const { fields } = flags
  if (fields !== undefined && document === 'array' && chosenFormat(flags) === undefined) {
    throw usageError('--fields needs --json or --jsonl here')
  }
  return fields === undefined ? undefined : parseFields(fields)
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
