import type { ItemRecord } from '../../../../src/cli/output/events.ts'
import { failedRecord } from '../../../../src/cli/output/records.ts'
import { createPipedView } from '../../../../src/cli/output/tables/account-view.ts'
import { createPalette } from '../../../../src/cli/output/terminal/terminal.ts'
import { TextReporter, type TextReporterOptions } from '../../../../src/cli/output/text.ts'
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

/** A reporter without colours and bars, and what it has printed. */
export function textReporter(options: Partial<TextReporterOptions> = {}) {
  const { printed, output } = recorder()
  const reporter = new TextReporter({
    output,
    verbosity: calm,
    createView: (print) => createPipedView(print, undefined),
    bars: undefined,
    isOneTerminal: false,
    wrap: { stdout: (text) => text, stderr: (text) => text },
    clock: { now: () => Date.parse('2026-11-20T12:00:00'), sleep: () => new Promise(() => {}) },
    palettes: { stdout: palette, stderr: palette },
    ...options,
  })
  return { reporter, printed }
}
