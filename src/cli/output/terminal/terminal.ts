import type { Environment } from '../../../system/environment.ts'
import { isDevice, leadsTo } from '../../../system/process.ts'

export interface TerminalTraits {
  /** The current width in columns; it changes when the window is resized. */
  width(): number
  /** Whether it can display more than ASCII. */
  readonly unicode: boolean
  /** Whether lines that wrap when it gets narrower push the cursor down even from above them, as in xterm.js. */
  readonly pushesCursor: boolean
}

const USUAL_WIDTH = 80
const xtermJsPrograms = new Set(['vscode', 'Hyper', 'Tabby'])

/** Derives a terminal's abilities from the environment. */
export function terminalTraits(
  stream: { readonly columns?: number | undefined },
  env: Environment,
  platform: string = process.platform,
): TerminalTraits {
  return {
    width: () => stream.columns || Number(env['COLUMNS']) || USUAL_WIDTH,
    unicode: showsUnicode(env, platform),
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

/**
 * Restores the terminal before the process is suspended (Ctrl-Z) or ends unexpectedly, and draws again when it
 * continues.
 */
export function lendTerminal(host: Pick<NodeJS.Process, 'on' | 'off' | 'kill' | 'pid'>, drawing: Drawing): void {
  const restore = () => drawing.pause()
  const suspend = () => {
    drawing.pause()
    // Without a listener the signal suspends the process, but maybe only after the call has returned.
    host.off('SIGTSTP', suspend)
    host.kill(host.pid, 'SIGTSTP')
  }
  host.on('SIGTSTP', suspend)
  host.on('SIGCONT', () => {
    host.off('SIGTSTP', suspend).on('SIGTSTP', suspend)
    drawing.resume()
  })
  // Before Node prints the exception, since removing the drawing later would erase it.
  host.on('uncaughtExceptionMonitor', restore)
  host.on('exit', restore)
}

export type ColorChoice = 'auto' | 'always' | 'never'

/** Whether to use colour, by NO_COLOR, the flag, FORCE_COLOR or CLICOLOR_FORCE, and the terminal, in this order. */
export function hasColor(choice: ColorChoice, env: Environment, terminal: boolean): boolean {
  if (env['NO_COLOR']) return false
  if (choice !== 'auto') return choice === 'always'
  const forced = env['FORCE_COLOR'] ?? env['CLICOLOR_FORCE']
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false'
  return terminal && env['TERM'] !== 'dumb'
}

/** Styles by their meaning; without colour they leave the text unchanged. */
export type Palette = Readonly<Record<'error' | 'warning' | 'success' | 'faint', (text: string) => string>>

/** Loads the colour library only if colour is enabled. */
export async function createPalette(enabled: boolean): Promise<Palette> {
  if (!enabled) return { error: String, warning: String, success: String, faint: String }
  const { Chalk } = await import('chalk')
  const { red: error, yellow: warning, green: success, dim: faint } = new Chalk({ level: 1 })
  return { error, warning, success, faint }
}
