import { styleText } from 'node:util'
import type { Environment } from '../../../system/environment.ts'

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

export function createPalette(enabled: boolean): Palette {
  // Whether there is colour is decided here, and not by the streams and variables that Node looks at.
  const style = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    enabled ? styleText(format, text, { validateStream: false }) : text
  return { error: style('red'), warning: style('yellow'), success: style('green'), faint: style('dim') }
}
