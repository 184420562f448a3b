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

/** Loads the colour library only if colour is enabled. */
export async function createPalette(enabled: boolean): Promise<Palette> {
  if (!enabled) return { error: String, warning: String, success: String, faint: String }
  const { Chalk } = await import('chalk')
  const { red: error, yellow: warning, green: success, dim: faint } = new Chalk({ level: 1 })
  return { error, warning, success, faint }
}
