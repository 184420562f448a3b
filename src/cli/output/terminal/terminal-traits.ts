type Environment = Readonly<Record<string, string | undefined>>

/** What a terminal can display. */
export interface TerminalTraits {
  /** The current width in columns; it changes when the window is resized. */
  width(): number
  /** Whether it can display more than ASCII. */
  readonly unicode: boolean
  /** Whether it supports links (OSC 8). */
  readonly hyperlinks: boolean
}

const USUAL_WIDTH = 80
/** Values of TERM_PROGRAM of terminals that support links. */
const linkingPrograms = new Set(['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'Tabby', 'rio'])
/** The first VTE release that shows links without crashing, 0.50.2. */
const FIRST_LINKING_VTE = 5_002

/** Derives a terminal's abilities from the environment; `FORCE_HYPERLINK` overrides the guess about links. */
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
  // Terminals on macOS support UTF-8 in every locale.
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
