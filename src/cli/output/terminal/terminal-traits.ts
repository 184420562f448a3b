type Environment = Readonly<Record<string, string | undefined>>

/** What a terminal can show. */
export interface TerminalTraits {
  /** In columns, as it is now: a window may be resized. */
  width(): number
  /** Whether it shows more than ASCII. */
  readonly unicode: boolean
  /** Whether text may carry a link (OSC 8). */
  readonly hyperlinks: boolean
}

const USUAL_WIDTH = 80
/** Terminal programs that have had links for years, as they name themselves in TERM_PROGRAM. */
const linkingPrograms = new Set(['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'Tabby', 'rio'])
/** The first release of GNOME's terminal library that shows links without crashing. */
const FIRST_LINKING_VTE = 5_002

/** What the environment tells of a terminal; `FORCE_HYPERLINK` decides where it is wrong about links. */
export function terminalTraits(
  stream: { readonly columns?: number | undefined },
  env: Environment,
  platform: string = process.platform,
): TerminalTraits {
  return {
    width: () => stream.columns || Number(env['COLUMNS']) || USUAL_WIDTH,
    unicode: showsUnicode(env, platform),
    hyperlinks: showsLinks(env),
  }
}

function showsUnicode(env: Environment, platform: string): boolean {
  if (env['TERM'] === 'linux' || env['TERM'] === 'dumb') return false
  if (platform === 'win32') return env['WT_SESSION'] !== undefined || env['TERM_PROGRAM'] === 'vscode'
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''
  // A Mac's terminals show UTF-8 whatever the locale says.
  return /utf-?8/i.test(locale) || platform === 'darwin'
}

function showsLinks(env: Environment): boolean {
  const forced = env['FORCE_HYPERLINK']
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false'
  if (env['CI'] || env['TERM'] === 'dumb') return false
  if (linkingPrograms.has(env['TERM_PROGRAM'] ?? '')) return true
  if (Number(env['VTE_VERSION']) >= FIRST_LINKING_VTE) return true
  if (/^(xterm-kitty|alacritty|foot|xterm-ghostty)/.test(env['TERM'] ?? '')) return true
  return ['WT_SESSION', 'KONSOLE_VERSION', 'KITTY_WINDOW_ID', 'DOMTERM'].some((name) => env[name] !== undefined)
}
