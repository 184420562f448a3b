import type { Command } from 'commander'
import { definitionOf, settingNames } from '../../config/setting-definitions.ts'
import { wrapHelp } from '../../output/help-layout.ts'

/** A command's complete help. Commander returns the text of `addHelpText` only by printing it, so the output is caught. */
export function fullHelp(command: Command): string {
  let text = ''
  const before = command.configureOutput()
  command.configureOutput({
    ...before,
    writeOut: (part) => {
      text += wrapHelp(part)
    },
  })
  command.outputHelp()
  command.configureOutput(before)
  return text.trimEnd()
}

/** The environment variables that fh uses, in the order of the help. */
export const environmentVariables: readonly { readonly name: string; readonly meaning: string }[] = [
  ...settingNames.flatMap((name) => {
    const { env } = definitionOf(name)
    return env === undefined ? [] : [{ name: env.name, meaning: env.help }]
  }),
  { name: 'FH_PROFILE', meaning: 'profile of the config file, instead of the default' },
  { name: 'FH_CONFIG_DIR', meaning: 'folder of the config file' },
  { name: 'FH_STATE_DIR', meaning: 'folder of the ledger and the journal' },
  { name: 'FH_DEBUG', meaning: '1 = same as --debug' },
  { name: 'FH_NO_INPUT', meaning: '1 = same as --no-input' },
  { name: 'FH_EMULATOR_URL', meaning: 'control address; set by fh emulate -- command' },
  { name: 'CI', meaning: 'if set, never prompt' },
  { name: 'NO_COLOR', meaning: 'if set, no colour; overrides the rest' },
  { name: 'FORCE_COLOR', meaning: 'if set, colour without a terminal; also CLICOLOR_FORCE' },
  { name: 'FORCE_HYPERLINK', meaning: '1 = links on the terminal, 0 = no links' },
  { name: 'TERM', meaning: 'dumb = no colour' },
  { name: 'HTTP_PROXY', meaning: 'proxy, also HTTPS_PROXY, ALL_PROXY, all in lower case' },
  { name: 'NO_PROXY', meaning: 'hosts to reach without a proxy; this machine always' },
  { name: 'NODE_EXTRA_CA_CERTS', meaning: 'further certificate authorities (PEM file)' },
  { name: 'XDG_CONFIG_HOME', meaning: 'parent of the config folder fh (~/.config)' },
  { name: 'XDG_STATE_HOME', meaning: 'parent of the state folder fh (~/.local/state)' },
]
