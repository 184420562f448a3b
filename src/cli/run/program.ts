import { Command, CommanderError, Option } from 'commander'
import { version } from '../../../package.json'
import { addGlobalFlags, type GlobalFlags, globalFlagsOf } from '../config/global-flags.ts'
import type { Action, Start } from '../context/context.ts'
import { CliError, usageError } from '../failures/cli-error.ts'
import { hints } from '../failures/hints.ts'
import { commandBelow, helpStyle, helpWidth, wrapColumns } from '../output/help-layout.ts'
import { type CatalogEntry, catalog } from './catalog.ts'

/** A parsed command line. */
export type Invocation =
  | {
      readonly type: 'run'
      /** Of the command. */
      readonly name: string
      readonly entry: CatalogEntry
      readonly flags: GlobalFlags
      readonly run: Action
    }
  /** Help or the version. `misuse`: nothing was asked for, and help is the answer. */
  | { readonly type: 'print'; readonly what: 'help' | 'version'; readonly text: string; readonly misuse: boolean }

/**
 * Parses a command line; loads the code of its command only.
 * @throws CliError of code `usage`
 */
export async function parseArgv(argv: readonly string[]): Promise<Invocation> {
  let printed = ''
  let run: Action | undefined
  const program = createProgram((text) => {
    printed += text
  })
  /** The deepest command that the command line names. */
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
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return await answerTo(error, printed, argv, named, program)
  }
  const isSubcommand = named.parent !== program
  const name = (isSubcommand ? named.parent : named)?.name() ?? ''
  const entry = catalog[name]
  if (run === undefined || entry === undefined) throw usageError('No command was given', hints.commands)
  const flags = globalFlagsOf(named)
  // A subcommand prints one value, even where the command above it has a document of its own.
  return { type: 'run', name, flags, run, entry: isSubcommand ? { ...entry, document: 'value' } : entry }
}

/**
 * What commander has printed instead of running a command, or the upload that is meant.
 * @throws CliError of code `usage` if that is no answer
 */
async function answerTo(
  error: CommanderError,
  text: string,
  argv: readonly string[],
  named: Command,
  program: Command,
): Promise<Invocation> {
  const what = error.code === 'commander.version' ? 'version' : 'help'
  // Help may be the answer to a group without its subcommand, rather than what was asked for.
  const misuse = error.code === 'commander.help'
  // Help on a command that is misspelt would be that of another.
  const stray = error.code === 'commander.helpDisplayed' ? strayWord(named) : undefined
  const isAnswer = ['commander.version', 'commander.help', 'commander.helpDisplayed'].includes(error.code)
  if (isAnswer && stray === undefined) return { type: 'print', what, misuse, text }
  const { explainMisuse, unknownCommand, uploadMeant } = await import('./misuse.ts')
  if (stray !== undefined) throw unknownCommand(stray, named)
  const meant = uploadMeant(argv, program)
  if (meant === undefined) throw explainMisuse(error, argv, named)
  return asking(await parseArgv(meant.words), meant)
}

/** A word in the place of a subcommand that is none. */
function strayWord(command: Command): string | undefined {
  const wantsOne = command.commands.length > 0 && command.registeredArguments.length === 0
  const word = command.args.find((word) => !word.startsWith('-'))
  return wantsOne && word !== undefined && commandBelow(command, word) === undefined ? word : undefined
}

type Meant = NonNullable<ReturnType<typeof import('./misuse.ts')['uploadMeant']>>

/** The same, once a person has said yes; where that cannot be asked, it is refused. */
function asking(invocation: Invocation, { question, refusal }: Meant): Invocation {
  if (invocation.type !== 'run') return invocation
  const run: Action = async (context) => {
    const prompt = await context.prompt()
    if (!prompt.isPossible) throw refusal
    if (!(await prompt.confirm(question, true))) throw new CliError('declined', 'Nothing was uploaded')
    return await invocation.run(context)
  }
  return { ...invocation, run }
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

/** Loads the code of a command, which declares its arguments and flags. */
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
  const write = (text: string) => print(wrapColumns(text))
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
      writeOut: write,
      writeErr: write,
      outputError: () => {},
      // No more than 80 columns on a wide terminal, and no colours.
      getOutHelpWidth: helpWidth,
      getErrHelpWidth: helpWidth,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText('after', furtherHelp)
  for (const [name, { summary, alias }] of Object.entries(catalog)) {
    const command = program.command(name).summary(summary)
    if (alias !== undefined) command.alias(alias)
  }
  addGlobalFlags(program)
  return program.addHelpOption(new Option('-h, --help', 'show this help').hideHelp())
}
