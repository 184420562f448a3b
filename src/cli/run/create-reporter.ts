import { systemClock } from '../../index.ts'
import type { GlobalFlags } from '../config/global-flags.ts'
import { chosenFormat, formatOf } from '../config/output-formats.ts'
import { isOn, verbosityOf } from '../config/settings.ts'
import type { GuardedOutput, HostProcess } from '../context/host.ts'
import type { Reporter } from '../output/events.ts'
import { parseFields } from '../output/fields.ts'
import { createPipedView } from '../output/tables/account-view.ts'
import { createPalette, hasColor, type Palette } from '../output/terminal/color.ts'
import { isTerminalShared, lendTerminal, terminalTraits } from '../output/terminal/terminal.ts'
import { linkWithName, linkWithRemark } from '../output/terminal/terminal-text.ts'
import { wrapWords } from '../output/terminal/word-wrap.ts'
import { createTextReporter, type TextReporterOptions } from '../output/text.ts'
import type { CatalogEntry } from './catalog.ts'

/** The reporter of the format that the flags ask for, and of text without one. */
export async function createReporter(
  entry: CatalogEntry,
  flags: GlobalFlags,
  host: HostProcess,
  output: GuardedOutput,
): Promise<Reporter> {
  const { env, stdout, stderr } = host
  const verbosity = verbosityOf(flags, env)
  const fields = flags.fields === undefined ? undefined : parseFields(flags.fields, entry.fields)
  const format = chosenFormat(flags)
  if (format !== undefined) {
    return await formatOf(format).createReporter({ output, verbosity, fields, document: entry.document })
  }
  const paletteOf = (stream: NodeJS.WriteStream) =>
    createPalette(hasColor(flags.color ?? 'auto', env, stream.isTTY === true))
  const palettes = { stdout: await paletteOf(stdout), stderr: await paletteOf(stderr) }
  return createTextReporter({
    output,
    verbosity,
    createView: await chooseView(host, fields, palettes.stdout),
    bars: entry.transfers ? await chooseBars(host, palettes) : undefined,
    clock: systemClock,
    wrap: chooseWrap(host),
    palettes,
  })
}

function chooseWrap({ env, stderr }: HostProcess): TextReporterOptions['wrap'] {
  if (!stderr.isTTY) return (line) => line
  const { width } = terminalTraits(stderr, env)
  return (line, whole) => wrapWords(line, width(), whole)
}

/** Loads the code that draws tables for a terminal only. */
async function chooseView(
  { env, stdout }: HostProcess,
  fields: readonly string[] | undefined,
  palette: Palette,
): Promise<TextReporterOptions['createView']> {
  if (!stdout.isTTY) return (print) => createPipedView(print, fields)
  const { createTerminalView } = await import('../output/tables/terminal-view.ts')
  const traits = terminalTraits(stdout, env)
  return (print) => createTerminalView({ print, fields, palette, traits, now: systemClock.now })
}

/** Loads the code that draws bars for a terminal that can move its cursor only. */
async function chooseBars(
  host: HostProcess,
  palettes: TextReporterOptions['palettes'],
): Promise<TextReporterOptions['bars']> {
  const { env, stdout, stderr } = host
  if (!stderr.isTTY || env['TERM'] === 'dumb' || isOn(env['CI'])) return undefined
  const { createBarProgress } = await import('../output/progress/bar-progress.ts')
  const traits = terminalTraits(stderr, env)
  const view = createBarProgress({ stream: stderr, traits, palette: palettes.stderr, clock: systemClock })
  lendTerminal(host, view)
  const look = { traits, palette: palettes.stdout }
  return {
    view,
    byDefault: !isTerminalShared(host),
    nameLink: stdout.isTTY ? (link, name) => linkWithName(link, name, look) : undefined,
    remarkLink: (link, remark) => linkWithRemark(link, remark, look),
  }
}
