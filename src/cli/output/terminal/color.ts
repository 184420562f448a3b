import type { ChalkInstance } from 'chalk'
import type { Environment } from '../../../system/environment.ts'

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
