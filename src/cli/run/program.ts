import { Command, CommanderError, Option } from 'commander'
import { version } from '../../../package.json'
import { addGlobalFlags, chosenFormat, type GlobalFlags, globalFlagsOf } from '../config/global-flags.ts'
import type { Action, Start } from '../context/context.ts'
import { CliError, usageError } from '../failures/cli-error.ts'
import { hints } from '../failures/hints.ts'
import { parseFields } from '../output/fields.ts'
import { helpStyle, helpWidth } from '../output/help-layout.ts'
import { type CatalogEntry, catalog, plainEntry } from './catalog.ts'

export interface Invocation {
  readonly entry: Omit<CatalogEntry, 'summary' | 'load'>
  readonly flags: GlobalFlags
  readonly fields: readonly string[] | undefined
  /** The help that is asked for, where text is: no run is needed to print it. */
  readonly help?: string | undefined
  /** Throws what is wrong with the command line. */
  readonly run: Action
}

/** Parses a command line; loads the code of its command only. */
export async function parseArgv(argv: readonly string[]): Promise<Invocation> {
  let printed = ''
  let run: Action | undefined
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
  const entryOf = ({ parent }: Command) => {
    const entry = catalog[(parent === program ? named : (parent ?? program)).name()] ?? plainEntry
    // A subcommand prints one value, even where the command above it has a document of its own.
    return parent === program ? entry : { ...entry, document: 'value' as const }
  }
  try {
    await program.parseAsync(argv, { from: 'user' })
    const [entry, flags] = [entryOf(named), globalFlagsOf(named)]
    return { entry, flags, fields: checkFlags(entry, flags), run: run ?? failing(noCommand()) }
  } catch (error) {
    const words = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
    const [json, jsonl, debug] = ['--json', '--jsonl', '--debug'].map((flag) => words.includes(flag))
    // Programs get their errors as JSON all the same; after -- stands the user's own command, which gets stdout.
    const entry = entryOf(named)
    const document = entry.document === 'own' && words === argv ? 'value' : entry.document
    const flags = { json, jsonl, debug } as GlobalFlags
    const guessed = { entry: { ...entry, document }, flags, fields: undefined }
    if (!(error instanceof CommanderError)) return { ...guessed, run: failing(error) }
    const answer = answerOf(error, printed.trimEnd(), flags)
    if (answer !== undefined) return { ...guessed, entry: plainEntry, ...answer }
    const { explainMisuse, uploadMeant } = await import('./misuse.ts')
    const meant = uploadMeant(argv, program)
    if (meant === undefined) return { ...guessed, run: failing(explainMisuse(error, named)) }
    return asking(await parseArgv(meant.words), meant)
  }
}

const noCommand = () => usageError('No command was given', hints.commands)

function failing(error: unknown): Action {
  return () => {
    throw error
  }
}

/** What prints the help or the version that commander has given in place of running a command. */
function answerOf(
  { code }: CommanderError,
  text: string,
  flags: GlobalFlags,
): Pick<Invocation, 'help' | 'run'> | undefined {
  const isText = chosenFormat(flags) === undefined
  if (code === 'commander.help') {
    if (!isText) return { run: failing(noCommand()) }
    // Nothing was asked for, and help is the answer.
    return {
      run({ io }) {
        io.stderr.write(`${text}\n`)
        return { type: 'exit', code: 2 }
      },
    }
  }
  const data = { 'commander.version': { version: text }, 'commander.helpDisplayed': { help: text } }[code]
  return data && { help: isText ? text : undefined, run: ({ print }) => print({ data, text }) }
}

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

type Question = { readonly question: string; readonly refusal: CliError }

/** The same, once a person has said yes; where that cannot be asked, it is refused. */
function asking({ run, ...invocation }: Invocation, { question, refusal }: Question): Invocation {
  const asked: Action = async (context) => {
    const prompt = await context.prompt()
    if (!prompt.isPossible) throw refusal
    if (!(await prompt.confirm(question, true))) throw new CliError('declined', 'Nothing was uploaded')
    return await run(context)
  }
  return { ...invocation, run: asked }
}

/** All commands by name; those among the words with their arguments and flags. */
export async function describeProgram(words: readonly string[]): Promise<Command> {
  const program = createProgram(() => {})
  for (const command of program.commands) {
    const isNamed = [command.name(), ...command.aliases()].some((name) => words.includes(name))
    if (isNamed) await declare(command, words, () => {})
  }
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
    .configureOutput({
      writeOut: print,
      writeErr: print,
      outputError: () => {},
      // No more than 80 columns on a wide terminal.
      getOutHelpWidth: helpWidth,
      getErrHelpWidth: helpWidth,
    })
    .addHelpText('after', furtherHelp)
  for (const [name, { summary, alias }] of Object.entries(catalog)) {
    const command = program.command(name).summary(summary)
    if (alias !== undefined) command.alias(alias)
  }
  addGlobalFlags(program)
  return program.addHelpOption(new Option('-h, --help', 'show this help').hideHelp())
}
