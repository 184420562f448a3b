import type { ItemRecord } from '../../../../src/cli/output/events.ts'
import { failedRecord } from '../../../../src/cli/output/records.ts'
import { createPalette } from '../../../../src/cli/output/terminal/terminal.ts'
import type { TextOptions } from '../../../../src/cli/output/text.ts'
import { TextPrinter } from '../../../../src/cli/output/text.ts'
import { SourceError } from '../../../../src/index.ts'
import { uploadObject } from '../../../helpers/media.ts'

const palette = await createPalette(false)
export const calm = { quiet: false, verbose: false, debug: false }

const uploaded = { status: 'uploaded', upload: uploadObject, error: null } as const
export const done = (file: string): ItemRecord => ({ subject: { file }, ...uploaded })
export const failed = (file: string) =>
  failedRecord({ file }, new SourceError('missing', `${file} does not exist`, { hint: 'Look' }))

/** What is printed on both streams. */
export function recorder() {
  const printed = { stdout: '', stderr: '' }
  const into = (name: 'stdout' | 'stderr') => (text: string) => {
    printed[name] += text
  }
  return { printed, output: { stdout: into('stdout'), stderr: into('stderr') } }
}

/** A printer without colours and bars, and what it has printed. */
export function textPrinter(options: Partial<TextOptions> = {}) {
  const { printed, output } = recorder()
  const printer = new TextPrinter({
    output,
    verbosity: calm,
    fields: undefined,
    bars: undefined,
    width: undefined,
    isOneTerminal: false,
    clock: { now: () => Date.parse('2026-11-20T12:00:00'), sleep: () => new Promise(() => {}) },
    palettes: { stdout: palette, stderr: palette },
    ...options,
  })
  return { printer, printed }
}
