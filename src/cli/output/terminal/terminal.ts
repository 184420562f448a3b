import type { ChalkInstance } from 'chalk'
import { type Clock, startIdleTimer } from '../../../clock.ts'
import { isDevice, leadsTo } from '../../../system/devices.ts'
import type { Environment } from '../../../system/environment.ts'

export interface TerminalTraits {
  /** The current width in columns; it changes when the window is resized. */
  width(): number
  /** Whether it can display more than ASCII. */
  readonly unicode: boolean
  /** Whether it supports links (OSC 8). */
  readonly hyperlinks: boolean
  /** Whether it shows progress in its tab or in the taskbar (OSC 9;4). */
  readonly taskbar: boolean
  /** Whether lines that wrap when it gets narrower push the cursor down even from above them, as in xterm.js. */
  readonly pushesCursor: boolean
}

const USUAL_WIDTH = 80
/** Values of TERM_PROGRAM of terminals that support links. */
const linkingPrograms = new Set(['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'Tabby', 'rio'])
const taskbarPrograms = new Set(['WezTerm', 'ghostty'])
const xtermJsPrograms = new Set(['vscode', 'Hyper', 'Tabby'])
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
    taskbar: showsTaskbar(env),
    pushesCursor: xtermJsPrograms.has(env['TERM_PROGRAM'] ?? ''),
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

/** Others may take OSC 9;4 for a notification. */
function showsTaskbar(env: Environment): boolean {
  if (env['TMUX'] || env['STY']) return false
  return env['WT_SESSION'] !== undefined || env['ConEmuANSI'] === 'ON' || taskbarPrograms.has(env['TERM_PROGRAM'] ?? '')
}

const STDIN = 0
const STDOUT = 1

/**
 * Whether other processes probably write to the same terminal: the reader of a pipe on stdout, such as `tee`, or the
 * other commands of `xargs -P`, which sets stdin to the null device.
 */
export function isTerminalShared({ stdin }: { readonly stdin: { readonly isTTY?: boolean } }): boolean {
  const leadsThroughPipe = leadsTo(STDOUT, (output) => output.isFIFO() || output.isSocket())
  const hasNullInput = stdin.isTTY !== true && isDevice(STDIN)
  return leadsThroughPipe || hasNullInput
}

/** Something drawn on a terminal that can be removed and drawn again. */
export interface Drawing {
  /** Removes the drawing, shows the cursor and wraps long lines again. */
  pause(): void
  /** Draws again. */
  resume(): void
}

/** How long the system takes at most to stop a process; one whose group has no shell is not stopped at all. */
const LONGEST_STOP_MS = 200

/**
 * Restores the terminal before the process is suspended (Ctrl-Z) or ends unexpectedly, and draws again when it
 * continues.
 */
export function lendTerminal(
  host: Pick<NodeJS.Process, 'on' | 'off' | 'kill' | 'pid'>,
  drawing: Drawing,
  clock: Clock,
): void {
  const restore = () => drawing.pause()
  let stopTimer = () => {}
  const suspend = () => {
    drawing.pause()
    // Without a listener the signal suspends the process, but maybe only after the call has returned.
    host.off('SIGTSTP', suspend).on('SIGCONT', goOn)
    stopTimer = startIdleTimer(clock, LONGEST_STOP_MS, goOn)
    host.kill(host.pid, 'SIGTSTP')
  }
  const goOn = () => {
    stopTimer()
    host.off('SIGCONT', goOn).on('SIGTSTP', suspend)
    drawing.resume()
  }
  host.on('SIGTSTP', suspend)
  // Before Node prints the exception, since removing the drawing later would erase it.
  host.on('uncaughtExceptionMonitor', restore)
  host.on('exit', restore)
}

export type ColorChoice = 'auto' | 'always' | 'never'

/** Styles by their meaning; without colour they leave the text unchanged. */
export interface Palette {
  error(text: string): string
  warning(text: string): string
  success(text: string): string
  strong(text: string): string
  faint(text: string): string
}

const same = (text: string) => text
const plain: Palette = { error: same, warning: same, success: same, strong: same, faint: same }

/** Whether to use colour, by NO_COLOR, the flag, FORCE_COLOR or CLICOLOR_FORCE, and the terminal, in this order. */
export function hasColor(choice: ColorChoice, env: Environment, terminal: boolean): boolean {
  if (env['NO_COLOR']) return false
  if (choice !== 'auto') return choice === 'always'
  const forced = env['FORCE_COLOR'] ?? env['CLICOLOR_FORCE']
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false'
  return terminal && env['TERM'] !== 'dumb'
}

/** Loads the colour library only if colour is enabled. */
export async function createPalette(enabled: boolean): Promise<Palette> {
  if (!enabled) return plain
  const { Chalk } = await import('chalk')
  const chalk: ChalkInstance = new Chalk({ level: 1 })
  return {
    error: (text) => chalk.red(text),
    warning: (text) => chalk.yellow(text),
    success: (text) => chalk.green(text),
    strong: (text) => chalk.bold(text),
    faint: (text) => chalk.dim(text),
  }
}
