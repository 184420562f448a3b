import { definitionOf, settingNames } from '../../config/setting-definitions.ts'
import { alignColumns } from '../../output/tables/align-columns.ts'

/** The environment variables that fh uses, in the order of the help. */
export const environmentVariables: readonly (readonly [name: string, meaning: string])[] = [
  ...settingNames.flatMap((name) => {
    const { env } = definitionOf(name)
    return env === undefined ? [] : [[env.name, env.help] as const]
  }),
  ['FH_PROFILE', 'profile of the config file (default)'],
  ['FH_CONFIG_DIR', 'folder of the config file'],
  ['FH_STATE_DIR', 'folder of the ledger and the journal'],
  ['FH_DEBUG', '1 = same as --debug'],
  ['FH_NO_INPUT', '1 = same as --no-input'],
  ['FH_EMULATOR_URL', 'control address of a running emulator; set by fh emulate -- command'],
  ['CI', 'if set, never prompt'],
  ['NO_COLOR', 'if set, no colour; overrides all other settings'],
  ['FORCE_COLOR, CLICOLOR_FORCE', 'if set, colour even without a terminal'],
  ['FORCE_HYPERLINK', '1 = links on the terminal, 0 = no links'],
  ['TERM', 'dumb = no colour'],
  ['HTTP_PROXY, HTTPS_PROXY, ALL_PROXY', 'proxies, in upper or lower case'],
  ['NO_PROXY', 'hosts to reach without a proxy; this machine always is'],
  ['NODE_EXTRA_CA_CERTS', 'further certificate authorities (PEM file)'],
  ['XDG_CONFIG_HOME', 'parent of the folder fh with the config file (~/.config)'],
  ['XDG_STATE_HOME', 'parent of the folder fh with ledger and journal (~/.local/state)'],
]

/** `fh help environment`. */
export function environmentHelp(): { readonly text: string; readonly data: unknown } {
  const lines = alignColumns([['VARIABLE', 'MEANING'], ...environmentVariables])
  return {
    text: [...lines, '', 'A flag overrides a variable; a variable overrides the profile in the config file.'].join(
      '\n',
    ),
    data: environmentVariables.map(([name, meaning]) => ({ name, meaning })),
  }
}
