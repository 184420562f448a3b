import { type Command, Help, type Option } from 'commander'

const WIDEST = 80
/** Columns narrower than this are not broken into lines. */
const NARROWEST = 10

export function helpWidth(): number {
  return Math.min(process.stdout.columns || WIDEST, WIDEST)
}

/** Help is commander's, with a line that leads to the flags of every command; defaults are in the words of each option. */
export const helpStyle = {
  minWidthToWrap: NARROWEST,
  formatHelp(command: Command, help: Help) {
    const text = Help.prototype.formatHelp.call(help, command, help)
    return command.parent === null ? text : `${text}Flags of every command: fh help flags\n`
  },
  commandUsage: (command: Command) => `${pathOf(command)} ${command.usage()}`,
  // Without "[options]": those of a command below another are the flags of every command.
  subcommandTerm: (command: Command) =>
    [[command.name(), ...command.aliases()].join(', '), command.usage().replace(/^\[options\] ?/, '')].join(' ').trim(),
  /** Those of every command are hidden; a suggestion, for which no width is set, may name them. */
  visibleOptions(this: { readonly helpWidth?: number | undefined }, { options }: Command) {
    return this.helpWidth === undefined ? [...options] : options.filter(({ hidden }) => !hidden)
  },
}

export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}

/** A command below another, by its name or alias. */
export function commandBelow({ commands }: Command, word: string): Command | undefined {
  return commands.find((command) => command.name() === word || command.aliases().includes(word))
}

/** The flags of a command that not every command has: those are hidden in its help. */
export function ownFlags(command: Command): readonly Option[] {
  return command.parent === null ? [] : command.options.filter(({ hidden }) => !hidden)
}

/** Wraps lines that are too long; one in columns, which are two spaces apart, continues below the last of them. */
export function wrapColumns(text: string): string {
  const width = helpWidth()
  const wrap = (line: string) => {
    const [columns] = /^.*\S {2,}(?=\S)|^ */.exec(line) ?? ['']
    const indent = width - columns.length < NARROWEST ? (/^ */.exec(line)?.[0].length ?? 0) : columns.length
    if (line.length <= width) return line
    const margin = ' '.repeat(indent)
    return line.slice(0, indent) + wrapper.boxWrap(line.slice(indent), width - indent).replaceAll('\n', `\n${margin}`)
  }
  return text.split('\n').map(wrap).join('\n')
}

const wrapper = Object.assign(new Help(), { minWidthToWrap: 0 })

export const helpTopics = [
  { name: 'flags', summary: 'the flags of every command' },
  { name: 'exit-codes', summary: 'what each exit code means' },
  { name: 'environment', summary: 'the environment variables fh reads' },
] as const
