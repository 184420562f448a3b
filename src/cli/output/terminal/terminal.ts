import type { Environment } from '../../../system/environment.ts'
import { isDevice, leadsTo } from '../../../system/process.ts'

export interface TerminalTraits {
  /** The current width in columns; it changes when the window is resized. */
  width(): number
  /** Whether lines that wrap when it gets narrower push the cursor down even from above them, as in xterm.js. */
  readonly pushesCursor: boolean
}

const USUAL_WIDTH = 80
const xtermJsPrograms = new Set(['vscode', 'Hyper', 'Tabby'])

export function terminalTraits(stream: { readonly columns?: number | undefined }, env: Environment): TerminalTraits {
  return {
    width: () => stream.columns || Number(env['COLUMNS']) || USUAL_WIDTH,
    pushesCursor: xtermJsPrograms.has(env['TERM_PROGRAM'] ?? ''),
  }
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
