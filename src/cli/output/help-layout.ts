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

/** Rows of two columns, as commander writes those of its help. */
export function helpRows(rows: readonly (readonly [string, string])[]): string {
  const layout = Object.assign(new Help(), { helpWidth: helpWidth(), minWidthToWrap: NARROWEST })
  const width = Math.max(...rows.map(([term]) => term.length))
  return rows.map(([term, meaning]) => layout.formatItem(term, width, meaning, layout)).join('\n')
}

export const helpTopics = ['flags', 'exit-codes', 'environment'] as const
