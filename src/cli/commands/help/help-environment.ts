import { alignColumns } from '../../output/tables/align-columns.ts'

/** The variables fh heeds, in the order help lists them. */
export const environmentVariables: readonly (readonly [name: string, meaning: string])[] = [
  ['FH_API_KEY', 'API key; outranks a stored one'],
  ['FH_API_KEY_FILE', 'file that holds the API key'],
  ['FH_BASE_URL', 'address of the service'],
  ['FH_PROFILE', 'profile of the config file (default)'],
  ['FH_CONFIG_DIR', 'folder of the config file'],
  ['FH_STATE_DIR', 'folder of what is remembered: units used, uploads made'],
  ['FH_LIMITS', 'as --limits'],
  ['FH_MAX_FILE_SIZE', 'as --max-file-size of fh upload'],
  ['FH_DEBUG', '1 = as --debug'],
  ['FH_NO_INPUT', '1 = as --no-input'],
  ['FH_EMULATOR_URL', 'control address of a running emulator; set by fh emulate -- command'],
  ['CI', 'set = nobody is asked anything'],
  ['NO_COLOR', 'set = no colour, whatever else is said'],
  ['FORCE_COLOR, CLICOLOR_FORCE', 'set = colour off a terminal too'],
  ['FORCE_HYPERLINK', '1 = links on the terminal, 0 = none'],
  ['TERM', 'dumb = no colour'],
  ['HTTP_PROXY, HTTPS_PROXY, ALL_PROXY', 'proxies, in either case of the letters'],
  ['NO_PROXY', 'hosts to reach directly; this machine always is'],
  ['NODE_EXTRA_CA_CERTS', 'further certificate authorities, in PEM'],
  ['XDG_CONFIG_HOME', 'where the folder fh with the config file is (~/.config)'],
  ['XDG_STATE_HOME', 'where the folder fh with what is remembered is (~/.local/state)'],
]

/** `fh help environment`. */
export function environmentHelp(): { readonly text: string; readonly data: unknown } {
  const lines = alignColumns([['VARIABLE', 'MEANING'], ...environmentVariables])
  return {
    text: [...lines, '', 'A flag outranks a variable, which outranks the profile in the config file.'].join('\n'),
    data: environmentVariables.map(([name, meaning]) => ({ name, meaning })),
  }
}
