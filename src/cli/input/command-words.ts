import type { Command } from 'commander'

/** The words of a command line that are neither flags nor their values. */
export function argumentsAmong(words: readonly string[], command: Command): readonly string[] {
  const found: string[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (word === '--') return [...found, ...words.slice(at + 1)]
    if (word === '-' || !word.startsWith('-')) found.push(word)
    else if (wantsValue(word, command)) at += 1
  }
  return found
}

/** A command below another, by its name or alias. */
export function commandBelow({ commands }: Command, word: string): Command | undefined {
  return commands.find((command) => command.name() === word || command.aliases().includes(word))
}

/** Whether an argument of the command is a slug, by its name. */
export function takesSlugs(command: Command): boolean {
  return command.registeredArguments.some((argument) => argument.name().startsWith('slug'))
}

/** Whether the value of a flag is the next word: of `-qj` and `--jobs`, not of `-j4` and `--jobs=4`. */
function wantsValue(word: string, { options }: Command): boolean {
  if (word.startsWith('--')) return options.some(({ long, required }) => required && long === word)
  for (const [at, letter] of [...word.slice(1)].entries()) {
    if (options.find(({ short }) => short === `-${letter}`)?.required) return at === word.length - 2
  }
  return false
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
