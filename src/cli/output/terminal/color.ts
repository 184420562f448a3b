import type { ChalkInstance } from 'chalk'

export type ColorChoice = 'auto' | 'always' | 'never'

/** A few styles by what they mean; where colour is off they leave the text as it is. */
export interface Palette {
  error(text: string): string
  warning(text: string): string
  success(text: string): string
  strong(text: string): string
  faint(text: string): string
}

const asItIs = (text: string) => text
const plain: Palette = { error: asItIs, warning: asItIs, success: asItIs, strong: asItIs, faint: asItIs }

/** Whether a stream gets colour: NO_COLOR wins, then the flag, then FORCE_COLOR and CLICOLOR_FORCE, then the terminal. */
export function hasColor(
  choice: ColorChoice,
  env: Readonly<Record<string, string | undefined>>,
  terminal: boolean,
): boolean {
  if (env['NO_COLOR']) return false
  if (choice !== 'auto') return choice === 'always'
  const forced = env['FORCE_COLOR'] ?? env['CLICOLOR_FORCE']
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false'
  return terminal && env['TERM'] !== 'dumb'
}

/** Loads the colour library only where there is colour. */
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
