import type { Usage, UsageBar, UsageClass } from '../../../service/usage.ts'
import { sumOf, usageClasses } from '../../../service/usage.ts'
import { offsetAt } from '../../../values/offset-date-time.ts'
import { type Html, html } from '../../html/html.ts'
import { barText, countText } from '../../texts/quantities.ts'
import type { Visitor } from '../../visitor.ts'

/** In CSS pixels. Across, the drawing is as wide as the page leaves, in percent: its texts stay readable on a phone. */
const [height, top, bottom] = [220, 12, 26] as const
const plotHeight = height - bottom - top
const dayMs = 86_400_000

/**
 * Stacked bars, each with its numbers for a mouse. The classes differ by pattern and order too, not by colour alone. The
 * figure around it has the sentence for those who cannot see it.
 */
export function usageChart({ say: { usage: say }, language, timezone }: Visitor, { bars, range }: Usage): Html {
  const count = (value: number) => countText(value, language)
  const ticks = niceTicks(Math.max(...bars.map(({ counts }) => sumOf(counts)), 1))
  const y = (value: number) => rounded(top + plotHeight * (1 - value / (ticks.at(-1) ?? 1)))
  const share = 100 / bars.length
  const times = bars.map(({ from }, index) => ({ from, index, wall: from + offsetAt(from, timezone) * 60_000 }))
  // The last ones would reach out of the drawing.
  const labelled = times
    .slice(0, -Math.ceil(bars.length / 7))
    .filter(({ wall, index }) =>
      range === '30d' ? index % 7 === 0 : wall % (range === '24h' ? dayMs / 4 : dayMs) === 0,
    )
  const labelOf = ({ from, wall }: (typeof times)[number]) =>
    barText(from, range === '24h' && wall % dayMs !== 0 ? '24h' : '30d', language, timezone)
  const barOf = (bar: UsageBar, index: number) => {
    const told = usageClasses.filter((name) => bar.counts[name] > 0)
    const numbers = told.map((name) => `${say.classes[name]}: ${count(bar.counts[name])}`)
    const title = `${barText(bar.from, range, language, timezone)}\n${numbers.join('\n')}`
    return html`<g><title>${title}</title><rect class="hit" x="${rounded(index * share)}%" y="${top}" width="${rounded(share)}%" height="${plotHeight}"/>${pieces(bar, y, { x: rounded((index + 0.1) * share), width: rounded(0.8 * share) })}</g>\n`
  }

  return html`<svg class="chart" width="100%" height="${height}" aria-hidden="true" focusable="false">
${patterns}
${ticks.map((tick) => html`<line class="grid" x2="100%" y1="${y(tick)}" y2="${y(tick)}"/><text class="tick" x="-8" y="${y(tick) + 4}">${count(tick)}</text>\n`)}
${bars.map((bar, index) => sumOf(bar.counts) > 0 && barOf(bar, index)).filter((bar) => bar !== false)}
${labelled.map((time, at) => html`<text${at % 2 === 1 && html` class="wide-only"`} x="${rounded(time.index * share)}%" y="${height - 8}">${labelOf(time)}</text>\n`)}
</svg>`
}

/** A small sample of a class's pattern, for the legend. */
export function swatch(name: UsageClass): Html {
  return html`<svg viewBox="0 0 14 14" width="14" height="14" aria-hidden="true" focusable="false"><path class="bar ${name}" fill="${fillOf(name)}" d="M0 0h14v14h-14z"/></svg>`
}

function fillOf(name: UsageClass): string {
  return name === 'ok' ? 'currentColor' : `url(#chart-${name})`
}

/** Patterns take the colour of the class that uses them. */
const patterns = html`<defs>
<pattern id="chart-clientError" class="clientError" width="6" height="6" patternUnits="userSpaceOnUse"><rect class="ground" width="6" height="6"/><path d="M0 3h6" stroke="currentColor" stroke-width="3"/></pattern>
<pattern id="chart-limited" class="limited" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="ground" width="6" height="6"/><path d="M3 0v6" stroke="currentColor" stroke-width="3"/></pattern>
<pattern id="chart-serverError" class="serverError" width="5" height="5" patternUnits="userSpaceOnUse"><rect class="ground" width="5" height="5"/><circle cx="2.5" cy="2.5" r="1.7" fill="currentColor"/></pattern>
</defs>`

/** The pieces of one bar, each on those of the classes before it, with a gap of one pixel between. */
function pieces(
  { counts }: UsageBar,
  y: (value: number) => number,
  { x, width }: Readonly<Record<'x' | 'width', number>>,
): readonly Html[] {
  let below = 0
  return usageClasses.flatMap((name) => {
    if (counts[name] === 0) return []
    const [from, to] = [y(below), y(below + counts[name])]
    const gap = below > 0 && from - to > 2 ? 1 : 0
    below += counts[name]
    return html`<rect class="bar ${name}" fill="${fillOf(name)}" x="${x}%" y="${to}" width="${width}%" height="${rounded(from - to - gap)}"/>`
  })
}

/** Round numbers from 0 to at least `most`, at most six: steps of 1, 2 or 5 times a power of ten, never below 1. */
export function niceTicks(most: number): readonly number[] {
  const rough = Math.max(most / 5, 1)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? rough
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step)
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
