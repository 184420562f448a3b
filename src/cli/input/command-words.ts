import type { Command, Option } from 'commander'

/**
 * Allows slugs that begin with a dash, as every 64th slug of the alphabet A-Za-z0-9_- does: moves the arguments of a
 * command that takes slugs behind its flags and a `--`. Other command lines stay as they are. A misspelt flag stays a
 * flag, so that it is refused: it may be `--dry-run`.
 *
 * @param program with the commands of the command line loaded
 */
export function withDashSlugs(argv: readonly string[], program: Command): readonly string[] {
  if (!argv.some(isSlugLike)) return argv
  const [name] = sorted(argv, program).arguments
  const command = name && commandBelow(program, name.word)
  if (name === undefined || command === undefined || !takesSlugs(command)) return argv
  const { flags, arguments: slugs } = sorted(argv.slice(name.at + 1), command)
  if (!slugs.some(({ word }) => word.startsWith('-'))) return argv
  return [...argv.slice(0, name.at + 1), ...flags, '--', ...slugs.map(({ word }) => word)]
}

/** The words of a command line that are neither flags nor their values. */
export function argumentsAmong(words: readonly string[], command: Command): readonly string[] {
  return sorted(words, command).arguments.map(({ word }) => word)
}

/** A command below another, by its name or alias. */
export function commandBelow({ commands }: Command, word: string): Command | undefined {
  return commands.find((command) => command.name() === word || command.aliases().includes(word))
}

/** Whether an argument of the command is a slug, by its name. */
export function takesSlugs(command: Command): boolean {
  return command.registeredArguments.some((argument) => argument.name().startsWith('slug'))
}

/** The flag a misspelt word means: `--dry_run` and `--dryRun` mean `--dry-run`. */
function flagAlike(word: string, { options }: Command): Option | undefined {
  const letters = (text: string) => text.replace(/[-_]/g, '').toLowerCase()
  return options.find(({ long }) => long && letters(long) === letters(word))
}

/** For `fh delete` two dashes always mean a flag: a deletion cannot be undone. */
function isSlugOf(command: Command, word: string): boolean {
  if (command.name() === 'delete' && word.startsWith('--')) return false
  return isSlugLike(word) && flagAlike(word, command) === undefined
}

/** Flags are lower-case words: a capital letter, a digit or an underscore means a slug. */
function isSlugLike(word: string): boolean {
  return /^-[\w-]{5,}$/.test(word) && /[A-Z0-9_]/.test(word)
}

/** Separates flags and their values from arguments; an unknown flag counts as a flag without a value. */
function sorted(words: readonly string[], command: Command) {
  const flags: string[] = []
  const found: { word: string; at: number }[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (word === '--') {
      found.push(...words.slice(at + 1).map((rest, index) => ({ word: rest, at: at + 1 + index })))
      break
    }
    const reading = readFlag(word, command)
    if (reading === 'none' && (word === '-' || !word.startsWith('-') || isSlugOf(command, word)))
      found.push({ word, at })
    else flags.push(word)
    if (reading !== 'wants value') continue
    at += 1
    flags.push(...words.slice(at, at + 1))
  }
  return { flags, arguments: found }
}

/** Whether a word is a flag of the command: `-qv` is two flags, `-j4` one with its value. */
function readFlag(word: string, { options }: Command): 'flag' | 'wants value' | 'none' {
  if (!/^-./.test(word)) return 'none'
  if (word.startsWith('--')) {
    const option = options.find(({ long }) => long === word.replace(/=.*$/s, ''))
    if (option === undefined) return 'none'
    return option.required && !word.includes('=') ? 'wants value' : 'flag'
  }
  return readCluster(word.slice(1), options)
}

function readCluster(letters: string, options: Command['options']): 'flag' | 'wants value' | 'none' {
  for (const [at, letter] of [...letters].entries()) {
    const option = options.find(({ short }) => short === `-${letter}`)
    if (option === undefined) return 'none'
    if (option.required) return at === letters.length - 1 ? 'wants value' : 'flag'
  }
  return 'flag'
}

/**
 * Finds the deepest command that a command line names.
 * @returns `stray` is the word after it where it wants one of its subcommands, and this is none
 */
export function namedCommand(argv: readonly string[], program: Command) {
  let command = program
  for (const word of argumentsAmong(argv, program)) {
    const below = commandBelow(command, word)
    if (below === undefined) {
      const wantsOne = command.commands.length > 0 && command.registeredArguments.length === 0
      return { command, stray: wantsOne ? word : undefined }
    }
    command = below
  }
  return { command, stray: undefined }
}
