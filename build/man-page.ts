import type { Argument, Command, Option } from 'commander'
import { environmentVariables, fullHelp } from '../src/cli/commands/help.ts'
import { exitCodes } from '../src/cli/failures/exit-codes.ts'
import { ownFlags, pathOf } from '../src/cli/output/help-layout.ts'

/**
 * The manual page fh(1) in roff, generated from the same declarations as the help.
 * @param release the version it describes, and its date as `YYYY-MM-DD`
 */
export function manPage(program: Command, release: { readonly version: string; readonly date: string }): string {
  const lines = [
    `.TH FH 1 "${release.date}" "filehost ${release.version}" "User Commands"`,
    '.SH NAME',
    `fh \\- ${roff(lowered(program.description()).replace(/\.$/, ''))}`,
    '.SH SYNOPSIS',
    '.B fh',
    roff('<command> [arguments] [flags]'),
    '.SH DESCRIPTION',
    ...paragraph(program.description()),
    ...paragraph('Data goes to standard output; messages, progress, questions and errors go to standard error.'),
    '.SH COMMANDS',
    ...program.commands.flatMap((command) => section(command)),
    '.SH FLAGS OF EVERY COMMAND',
    ...program.options.flatMap(flagLines),
    '.SH EXIT STATUS',
    ...exitCodes.flatMap(({ code, meaning }) => tagged(String(code), meaning)),
    '.SH ENVIRONMENT',
    ...environmentVariables.flatMap(({ name, meaning }) => tagged(name, meaning)),
    '.SH FILES',
    ...tagged('~/.config/fh/config.json', 'profiles with settings and keys, readable only by the owner'),
    ...tagged('~/.local/state/fh/', 'the used quota and the uploads of this machine'),
  ]
  return `${lines.join('\n')}\n`
}

function section(command: Command): readonly string[] {
  const heading = command.parent?.parent ? '.PP' : '.SS'
  const name = [pathOf(command), ...command.aliases().map((alias) => `| fh ${alias}`), command.usage()].join(' ').trim()
  const title = heading === '.SS' ? [`.SS ${roff(name)}`] : ['.PP', `.B ${roff(name)}`, '.br']
  return [
    ...title,
    ...(heading === '.SS' ? paragraph(command.description()).slice(1) : [roff(command.description())]),
    ...command.registeredArguments.flatMap(argumentLines),
    ...flagGroups(command),
    ...afterwards(command),
    ...command.commands.flatMap((child) => section(child)),
  ]
}

/** The flags, below the headings of the help. */
function flagGroups(command: Command): readonly string[] {
  const rows = ownFlags(command).map((option) => [option.helpGroupHeading ?? '', option] as const)
  return rows.flatMap(([heading, option], index) =>
    heading === 'Flags:' || heading === rows[index - 1]?.[0]
      ? flagLines(option)
      : [...paragraph(heading), ...flagLines(option)],
  )
}

function argumentLines(argument: Argument): readonly string[] {
  return argument.description === ''
    ? []
    : tagged(argument.name(), withChoices(argument.description, argument.argChoices))
}

function flagLines({ flags, description, argChoices }: Option): readonly string[] {
  return tagged(flags, withChoices(description, argChoices))
}

function withChoices(description: string, choices: readonly string[] | undefined): string {
  return choices === undefined ? description : `${description}: ${choices.join(', ')}`
}

/** Remarks, and examples with the line breaks of the help. */
function afterwards(command: Command): readonly string[] {
  const parts = helpAfter(command).split('\n\n')
  return parts.filter(Boolean).flatMap((part) => {
    const lines = part.split('\n')
    return part.includes('\n  ') ? ['.PP', '.nf', ...lines.map(roff), '.fi'] : paragraph(lines.join(' '))
  })
}

/** Only the text of `addHelpText`, the remarks and examples; empty if there is none. */
export function helpAfter(command: Command): string {
  return fullHelp(command).slice(command.helpInformation().trimEnd().length).trim()
}

function tagged(tag: string, text: string): readonly string[] {
  return ['.TP', `.B ${roff(tag)}`, roff(text)]
}

function paragraph(text: string): readonly string[] {
  return ['.PP', roff(text)]
}

function lowered(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`
}

/** Escapes hyphens, which roff would typeset as dashes, and a leading . or ', which starts a roff request. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/, '\\&')
}
