import { Command } from 'commander'
import { addGlobalFlags, definitionOf, settingNames } from '../config/global-flags.ts'
import type { Start } from '../context/context.ts'
import { usageError } from '../failures/cli-error.ts'
import { exitCodes } from '../failures/exit-codes.ts'
import { hints } from '../failures/hints.ts'
import type { PlainDocument } from '../output/events.ts'
import { commandBelow, helpRows, helpStyle, helpTopics, helpWidth } from '../output/help-layout.ts'

export function register(command: Command, start: Start): void {
  command
    .description('Show help on a command, the flags of every command, exit codes or variables.')
    .argument('[topic...]', 'a command, flags, exit-codes or environment')
    .addHelpText('after', '\nExamples:\n  fh help upload\n  fh help config set\n  fh help exit-codes')
    .action((topic: readonly string[]) =>
      start(async ({ describeProgram, print }) => {
        print(helpOn(topic, await describeProgram(topic)))
      }),
    )
}

function helpOn(topic: readonly string[], program: Command): PlainDocument {
  const name = topic.join(' ')
  switch (name) {
    case 'flags':
      return flagsHelp()
    case 'exit-codes': {
      const rows = exitCodes.map(({ code, meaning }) => [String(code), meaning] as const)
      return { data: exitCodes, text: helpRows([['CODE', 'MEANING'], ...rows]) }
    }
    case 'environment': {
      const rows = environmentVariables.map(({ name: variable, meaning }) => [variable, meaning] as const)
      const heading = ['VARIABLE', 'MEANING (a flag overrides it, and it overrides the profile)'] as const
      return { data: environmentVariables, text: helpRows([heading, ...rows]) }
    }
    default: {
      let command = program
      for (const word of topic) command = subcommand(command, word, name)
      return helpText(fullHelp(command))
    }
  }
}

function flagsHelp(): PlainDocument {
  const program = new Command('fh').helpOption(false).usage('<command> [arguments] [flags]')
  program.description('Flags of every command, before or after its name:').configureHelp(helpStyle)
  program.configureOutput({ getOutHelpWidth: helpWidth })
  addGlobalFlags(program)
  for (const option of program.options) option.hideHelp(false)
  return helpText(program.helpInformation().trimEnd())
}

function helpText(help: string): PlainDocument {
  return { data: { help }, text: help }
}

function subcommand(command: Command, word: string, topic: string): Command {
  const found = commandBelow(command, word)
  if (found !== undefined) return found
  const names = command.commands.map((candidate) => candidate.name())
  const known = command.parent === null ? [...names, ...helpTopics] : names
  const all = known.length > 0 ? hints.oneOf('Topics', known) : hints.help(command.name())
  throw usageError(`There is no help on ${JSON.stringify(topic)}`, all)
}

/** A command's complete help. Commander returns the text of `addHelpText` only by printing it, so the output is caught. */
export function fullHelp(command: Command): string {
  let text = ''
  const before = command.configureOutput()
  command.configureOutput({
    ...before,
    writeOut: (part) => {
      text += part
    },
  })
  command.outputHelp()
  command.configureOutput(before)
  return text.trimEnd()
}

/** The environment variables that fh uses, in the order of the help. */
export const environmentVariables: readonly { readonly name: string; readonly meaning: string }[] = [
  ...settingNames.flatMap((name) => {
    const { variable, env: meaning } = definitionOf(name)
    return meaning === undefined ? [] : [{ name: variable, meaning }]
  }),
  { name: 'FH_PROFILE', meaning: 'profile of the config file, instead of the default' },
  { name: 'FH_CONFIG_DIR', meaning: 'folder of the config file' },
  { name: 'FH_STATE_DIR', meaning: 'folder of the used quota and the uploads' },
  { name: 'FH_DEBUG', meaning: '1 = same as --debug' },
  { name: 'FH_NO_INPUT', meaning: '1 = same as --no-input' },
  { name: 'FH_EMULATOR_URL', meaning: 'control address; set by fh emulate -- command' },
  { name: 'FH_CONTROL_TOKEN', meaning: 'same as --control-token of fh emulate' },
  { name: 'CI', meaning: 'if set, never prompt' },
  { name: 'NO_COLOR', meaning: 'if set, no colour; overrides the rest' },
  { name: 'FORCE_COLOR', meaning: 'if set, colour without a terminal; also CLICOLOR_FORCE' },
  { name: 'TERM', meaning: 'dumb = no colour' },
  { name: 'HTTP_PROXY', meaning: 'proxy, also HTTPS_PROXY, ALL_PROXY, all in lower case' },
  { name: 'NO_PROXY', meaning: 'without proxy: HOST[:PORT], CIDR, *[:PORT]; this machine' },
  { name: 'NODE_EXTRA_CA_CERTS', meaning: 'further certificate authorities (PEM file)' },
  { name: 'XDG_CONFIG_HOME', meaning: 'parent of the config folder fh (~/.config)' },
  { name: 'XDG_STATE_HOME', meaning: 'parent of the state folder fh (~/.local/state)' },
]
