import { Command, CommanderError, Option } from 'commander'
import { version } from '../../../package.json'
import { addGlobalFlags, type GlobalFlags, globalFlagsOf } from '../config/global-flags.ts'
import type { Action } from '../context/context.ts'
import { CliError, usageError } from '../failures/cli-error.ts'
import { argumentsAmong, namedCommand } from '../input/command-words.ts'
import { helpStyle, helpWidth, type ProgramDescription, wrapColumns } from '../output/help-layout.ts'
import { type CatalogEntry, catalog } from './catalog.ts'

/** A parsed command line. */
export type Invocation =
  | ({ readonly type: 'run'; readonly flags: GlobalFlags } & Started)
  /** Help or the version. `misuse`: nothing was asked for, and help is the answer. */
  | { readonly type: 'print'; readonly what: 'help' | 'version'; readonly text: string; readonly misuse: boolean }

interface Started {
  /** Of the command. */
  readonly name: string
  readonly entry: CatalogEntry
  readonly run: Action
}

/**
 * Parses a command line; loads the code of its command only.
 * @throws CliError of code `usage`
 */
export async function parseArgv(argv: readonly string[]): Promise<Invocation> {
  let printed = ''
  let started: Started | undefined
  const program = createProgram((text) => {
    printed += text
  })
  const words = argumentsAmong(argv, program)
  // Help is followed by names.
  const named = words[0] === 'help' ? words : words.slice(0, 1)
  await declareCommands(program, named, argv, (start) => {
    started = start
  })
  let acting = program
  program.hook('preAction', (_, command) => {
    acting = command
  })
  try {
    program.parse(argv, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return await answerTo(error, printed, argv, program)
  }
  if (started === undefined) throw usageError('No command was given', 'fh help lists them')
  // A subcommand prints one value, even where the command above it has a document of its own.
  const entry: CatalogEntry = acting.parent === program ? started.entry : { ...started.entry, document: 'value' }
  return { ...started, type: 'run', entry, flags: globalFlagsOf(acting) }
}

/**
 * What commander has printed instead of running a command, or the upload that is meant.
 * @throws CliError of code `usage` if that is no answer
 */
async function answerTo(
  error: CommanderError,
  text: string,
  argv: readonly string[],
  program: Command,
): Promise<Invocation> {
  // Help may be the answer to a group without its subcommand, rather than what was asked for.
  const misuse = error.code === 'commander.help'
  const what = error.code === 'commander.version' ? 'version' : 'help'
  if (!misuse && what === 'help' && error.code !== 'commander.helpDisplayed') {
    const { explainMisuse, uploadMeant } = await import('./misuse.ts')
    const meant = uploadMeant(argv, program)
    if (meant === undefined) throw explainMisuse(error, argv, program)
    return asking(await parseArgv(meant.words), meant)
  }
  const { command: above, stray } = namedCommand(argv, program)
  // Help on a command that is misspelt would be that of another.
  if (what === 'help' && stray !== undefined) throw (await import('./misuse.ts')).unknownCommand(stray, above)
  return { type: 'print', what, misuse, text }
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

/** Describes the program; the commands among the words with their arguments and flags. */
export async function describeProgram(words: readonly string[]): Promise<ProgramDescription> {
  const program = createProgram(() => {})
  await declareCommands(program, words, words, () => {})
  return { program, fieldsOf: (command) => catalog[command]?.fields ?? [] }
}

/** Declares all commands; the code of those that are named is loaded, to declare their arguments and flags. */
async function declareCommands(
  program: Command,
  named: readonly string[],
  argv: readonly string[],
  onStart: (started: Started) => void,
): Promise<void> {
  for (const [name, entry] of Object.entries(catalog)) {
    const command = program.command(name).summary(entry.summary)
    if (entry.alias !== undefined) command.alias(entry.alias)
    if (![name, entry.alias ?? name].some((one) => named.includes(one))) continue
    command.optionsGroup('Flags:')
    await entry.attach(command, (run) => onStart({ name, entry, run }), argv)
    for (const one of [command, ...command.commands]) addGlobalFlags(one)
  }
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
  addGlobalFlags(program)
  return program.addHelpOption(new Option('-h, --help', 'show this help').hideHelp())
}
