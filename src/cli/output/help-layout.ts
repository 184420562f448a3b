import { type Command, Help, type Option } from 'commander'

/** What stands below a heading: terms, and what each means. */
export type HelpGroups = ReadonlyMap<string, readonly HelpRow[]>

export type HelpRow = readonly [term: string, meaning: string]

const WIDEST = 80
/** Meanings in a narrower column than this stand below their terms. */
const NARROWEST_MEANINGS = 24
/** More choices than this are not all listed. */
const MOST_CHOICES = 4

export function helpWidth(): number {
  return Math.min(process.stdout.columns || WIDEST, WIDEST)
}

/** The help of a command but for its remarks and examples: usage, description, arguments, flags and subcommands. */
export function formatHelp(command: Command): string {
  const alias = command.aliases().map((name) => `  (or: fh ${name})`)
  const usage = `Usage: ${pathOf(command)} ${usageLine(command)}${alias.join('')}`.trimEnd()
  const groups = layOut(groupsOf(command), helpWidth())
  const flags = command.parent === null ? [] : ['Flags of every command: fh help flags']
  return `${[usage, '', sentence(command.description()), '', ...groups, ...flags].join('\n')}\n`
}

export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}

/** What follows a command's name: `[flags] <slug|url>`. */
export function usageLine(command: Command): string {
  return command.usage().replace('[options]', '[flags]').replace('[command]', '<command>')
}

/** The flags of every command, as they are declared on each. */
export const sharedFlags = new WeakSet<Option>()

/** The flags of a command that not every command has. */
export function ownFlags(command: Command): readonly Option[] {
  return command.parent === null ? [] : command.options.filter((option) => !sharedFlags.has(option))
}

/** Arguments stand below these headings, with the flags that choose further files or uploads. */
const choosing: readonly string[] = ['Used most:', 'Which uploads:']

function groupsOf(command: Command): HelpGroups {
  const flags = ownFlags(command)
  const first = flags[0]?.helpGroupHeading ?? ''
  const heading = choosing.includes(first) ? first : 'Arguments:'
  const described = command.registeredArguments.filter(({ description }) => description !== '')
  return grouped([
    ...described.map((one) => [heading, [one.name(), withChoices(one.description, one.argChoices)]] as const),
    ...flags.map((option) => [option.helpGroupHeading ?? 'Flags:', flagRow(option)] as const),
    ...command.commands.map((child) => ['Commands:', commandRow(child)] as const),
  ])
}

/** Keeps the order in which headings first occur. */
export function grouped<Row>(
  rows: Iterable<readonly [heading: string, row: Row]>,
): ReadonlyMap<string, readonly Row[]> {
  const groups = Map.groupBy(rows, ([heading]) => heading)
  return new Map([...groups].map(([heading, all]) => [heading, all.map(([, row]) => row)]))
}

export function flagRow({ flags, description, argChoices }: Option): HelpRow {
  return [flags, withChoices(description, argChoices)]
}

function commandRow(command: Command): HelpRow {
  const inner = command.parent?.parent === null ? [] : command.usage().split(' ').slice(1)
  const names = [command.name(), ...command.aliases()].join(', ')
  return [[names, ...inner].join(' '), command.summary() || command.description()]
}

function withChoices(text: string, choices: readonly string[] | undefined): string {
  if (choices === undefined) return text
  const shown = choices.length > MOST_CHOICES ? [...choices.slice(0, MOST_CHOICES - 1), '…'] : choices
  return `${text}: ${shown.join(', ')}`
}

/** Lines of terms and their meanings in two columns, below headings. */
export function layOut(groups: HelpGroups, width: number): readonly string[] {
  const below = [...groups].map(([heading, rows]) => {
    return { heading, rows: rows.map(([term, meaning]): HelpRow => [`  ${term}`, meaning]) }
  })
  const indent = indentOf(below.flatMap(({ rows }) => rows))
  return below.flatMap(({ heading, rows }) => [heading, ...alignRows(rows, width, indent)])
}

function indentOf(rows: readonly HelpRow[]): number {
  return Math.max(0, ...rows.map(([term]) => term.length)) + 2
}

/** Terms and their meanings in two columns; on a narrow terminal meanings stand below their terms. */
export function alignRows(rows: readonly HelpRow[], width: number, indent: number = indentOf(rows)): readonly string[] {
  return rows.map(([term, meaning]) =>
    width - indent < NARROWEST_MEANINGS
      ? `${term}\n${indented(meaning, 6, width)}`
      : term.padEnd(indent) + indented(meaning, indent, width).trimStart(),
  )
}

/** A sentence from a summary; a sentence stays as it is. */
function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}`.replace(/(?<!\.)$/, '.')
}

/** Wraps the lines of a text that are too long; each continues at its own indent. */
export function wrapHelp(text: string, width: number = helpWidth()): string {
  const wrap = (line: string) =>
    line.length <= width ? line : indented(line.trimStart(), /^ */.exec(line)?.[0].length ?? 0, width)
  return text.split('\n').map(wrap).join('\n')
}

/** As {@link wrapHelp}, but a line in columns, which are two spaces apart, continues below the last one. */
export function wrapColumns(text: string, width: number): string {
  const wrap = (line: string) => {
    const { length } = /^.*\S {2,}(?=\S)/.exec(line)?.[0] ?? ''
    if (line.length <= width || length === 0 || width - length < NARROWEST_MEANINGS) return wrapHelp(line, width)
    return line.slice(0, length) + indented(line.slice(length), length, width).trimStart()
  }
  return text.split('\n').map(wrap).join('\n')
}

const wrapper = Object.assign(new Help(), { minWidthToWrap: 0 })

function indented(text: string, indent: number, width: number): string {
  const margin = ' '.repeat(indent)
  return margin + wrapper.boxWrap(text, width - indent).replaceAll('\n', `\n${margin}`)
}

/** All commands by name, and those asked about with their arguments and flags. */
export interface ProgramDescription {
  readonly program: Command
  fieldsOf(command: string): readonly string[]
}

/** @param words names the commands to load */
export type DescribeProgram = (words: readonly string[]) => Promise<ProgramDescription>

export const helpTopics = [
  { name: 'flags', summary: 'the flags of every command' },
  { name: 'exit-codes', summary: 'what each exit code means' },
  { name: 'environment', summary: 'the environment variables fh reads' },
] as const
