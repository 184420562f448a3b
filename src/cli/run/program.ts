import { existsSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { version } from '../../../package.json'
import { addGlobalFlags, addHiddenGlobalFlags, type GlobalFlags, globalFlagsOf } from '../config/global-flags.ts'
import { usageError } from '../failures/cli-error.ts'
import { flagAlike, takesSlugs, withDashSlugs } from '../input/dash-slugs.ts'
import { shellWord } from '../output/format/shell-word.ts'
import { type CatalogEntry, catalog, type Run } from './catalog.ts'
import { formatHelp } from './help-layout.ts'
import type { ProgramDescription } from './program-description.ts'

/** What a command line asks for. */
export type Invocation =
  | { readonly type: 'run'; readonly entry: CatalogEntry; readonly flags: GlobalFlags; readonly run: Run }
  /** Help or the version was asked for, or nothing was: then the help is the answer to a misuse. */
  | { readonly type: 'print'; readonly what: 'help' | 'version'; readonly text: string; readonly misuse: boolean }

/**
 * Reads a command line; loads the code of no command that is not named in it.
 * @throws CliError of code `usage`, with the nearest command or flag as hint
 */
export async function parseArgv(argv: readonly string[]): Promise<Invocation> {
  let printed = ''
  let started: Started | undefined
  const print = (text: string) => {
    printed += text
  }
  const program = createProgram(print)
  await declareCommands(program, argv, (start) => {
    started = start
  })
  let acting = program
  program.hook('preAction', (_, command) => {
    acting = command
  })
  try {
    program.parse(withDashSlugs(argv, program), { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    const what = error.code === 'commander.version' ? 'version' : 'help'
    return { type: 'print', what, text: printed, misuse: isMisuse(error, argv, program) }
  }
  if (started === undefined) throw usageError('No command was given', 'fh --help lists them')
  // Of a command with commands below it only itself may print in a form of its own.
  const entry: CatalogEntry = acting.parent === program ? started.entry : { ...started.entry, document: 'value' }
  return { type: 'run', entry, run: started.run, flags: globalFlagsOf(acting) }
}

/** Describes the program, those commands that are among the words with all they take. */
export async function describeProgram(words: readonly string[]): Promise<ProgramDescription> {
  const program = createProgram(() => {})
  await declareCommands(program, words, () => {})
  return { program, fieldsOf: (command) => catalog[command]?.fields ?? [] }
}

interface Started {
  readonly entry: CatalogEntry
  readonly run: Run
}

/** Declares every command by its name, and loads those that are named in the command line. */
async function declareCommands(
  program: Command,
  argv: readonly string[],
  onStart: (started: Started) => void,
): Promise<void> {
  for (const [name, entry] of Object.entries(catalog)) {
    const command = program.command(name).summary(entry.summary).description(sentence(entry.summary))
    if (!argv.includes(name)) continue
    command.optionsGroup('Flags:').helpOption('-h, --help', 'show this help')
    await entry.attach(command, (run) => onStart({ entry, run }), argv)
    addGlobalFlags(command)
  }
}

function createProgram(print: (text: string) => void): Command {
  const program = new Command('fh')
    .description('Upload images and videos to a file-hosting service, and look after them.')
    .usage('<command> [arguments] [flags]')
    .helpCommand(false)
    .helpOption('-h, --help', 'show this help')
    .version(version, '-V, --version', 'show the version')
    // Flags after a command's name are that command's own, so that what follows -- reaches it untouched.
    .enablePositionalOptions()
    .exitOverride()
    // Narrow columns are easier to read than words that the window breaks.
    .configureHelp({ minWidthToWrap: 12, formatHelp })
    .configureOutput({ writeOut: print, writeErr: print, outputError: () => {} })
    .addHelpText(
      'after',
      '\nfh help <command> lists its flags.\nfh help exit-codes and fh help environment explain the rest.',
    )
  addHiddenGlobalFlags(program)
  return program
}

/** Help and version are asked for; a group without its subcommand is answered with help; all else is explained. */
function isMisuse(error: CommanderError, argv: readonly string[], program: Command): boolean {
  if (error.code === 'commander.helpDisplayed' || error.code === 'commander.version') return false
  if (error.code === 'commander.help') return true
  const [message = '', ...suggestions] = error.message.replace(/^error: /, '').split('\n')
  const hint = hintOnFile(argv) ?? suggestions.join(' ').replace(/^\((.*)\)$/, '$1')
  throw usageError(message, hint || hintOnSlug(message, argv, program) || hintOnHelp(argv, program))
}

/** What was taken for a flag may be meant as the file of that name. */
function hintOnFile(argv: readonly string[]): string | undefined {
  const words = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  const [name] =
    Object.entries(catalog).find(([command, { takesFiles }]) => takesFiles && words.includes(command)) ?? []
  const file = words.find((word) => /^-./.test(word) && existsSync(word))
  return name && file && `For a file of that name: fh ${name} -- ${shellWord(file)}`
}

/** What was taken for a flag may be meant as another, or as the slug of an upload. */
function hintOnSlug(message: string, argv: readonly string[], program: Command): string | undefined {
  const command = program.commands.find((candidate) => argv.includes(candidate.name()) && takesSlugs(candidate))
  const [, word] = /^unknown option '(.*)'$/.exec(message) ?? []
  const flag = command && word && flagAlike(word, command)
  if (flag) return `The flag is written ${flag.long}`
  return command && word && `For an upload of that slug: fh ${command.name()} -- ${word}`
}

function hintOnHelp(argv: readonly string[], program: Command): string {
  const name = argv.find((word) => Object.hasOwn(catalog, word))
  if (name === undefined) return 'fh help explains commands and flags'
  const below = program.commands.find((command) => command.name() === name)?.commands ?? []
  const inner = argv.find((word) => below.some((command) => command.name() === word))
  return `fh help ${inner === undefined ? name : `${name} ${inner}`} explains what it takes`
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
}
