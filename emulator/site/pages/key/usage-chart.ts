import type { Usage, UsageBar, UsageClass } from '../../../service/usage/usage.ts'
import { sumOf, usageClasses } from '../../../service/usage/usage.ts'
import { type Html, html } from '../../html/html.ts'

// The size of the drawing in its own units; the page scales it.
const width = 720
const height = 200
const left = 44
const bottom = 24
const top = 10
const plotWidth = width - left
const plotHeight = height - bottom - top

/** Where labels below the bars stand, by the number of bars. */
const labelEvery: Readonly<Record<Usage['range'], number>> = { '24h': 6, '7d': 4, '30d': 7 }

/**
 * Stacked bars, one path for each class: as rectangles they would be three times as large. The classes differ by pattern
 * and order too, not by colour alone. The figure around it has the sentence for those who cannot see it.
 */
export function usageChart(
  { bars, range }: Usage,
  labelOf: (bar: UsageBar) => string,
  count: (n: number) => string,
): Html {
  const ticks = niceTicks(Math.max(...bars.map(({ counts }) => sumOf(counts)), 1))
  const most = ticks.at(-1) ?? 1
  const y = (value: number) => rounded(top + plotHeight * (1 - value / most))
  const barWidth = plotWidth / bars.length
  const x = (index: number) => rounded(left + index * barWidth)
  const every = labelEvery[range]
  const labelled = bars.map((bar, index) => ({ bar, index })).filter(({ index }) => index % every === 0)

  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" aria-hidden="true" focusable="false">
${patterns}
${ticks.map((tick) => html`<path class="grid" d="M${left} ${y(tick)}H${width}"/><text class="tick" x="${left - 6}" y="${y(tick) + 4}">${count(tick)}</text>\n`)}
${usageClasses.map((name) => html`<path class="bar ${name}" fill="${fillOf(name)}" d="${pathOf(name, { bars, x, y, barWidth })}"/>\n`)}
${labelled.map(({ bar, index }) => html`<text class="time${(index / every) % 2 === 0 && ' wide-only'}" x="${x(index)}" y="${height - 6}">${labelOf(bar)}</text>\n`)}
</svg>`
}

/** A small sample of a class's pattern, for the legend. */
export function swatch(name: UsageClass): Html {
  return html`<svg class="swatch" viewBox="0 0 14 14" aria-hidden="true" focusable="false"><path class="bar ${name}" fill="${fillOf(name)}" d="M0 0h14v14h-14z"/></svg>`
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

interface Stack {
  readonly bars: readonly UsageBar[]
  readonly x: (index: number) => number
  readonly y: (value: number) => number
  readonly barWidth: number
}

/** The pieces of one class, each on those of the classes before it, with a gap of one unit above and between. */
function pathOf(name: UsageClass, { bars, x, y, barWidth }: Stack): string {
  const below = usageClasses.slice(0, usageClasses.indexOf(name))
  const pieces = bars.map(({ counts }, index) => {
    if (counts[name] === 0) return ''
    const base = below.reduce((sum, each) => sum + counts[each], 0)
    const [from, to] = [y(base), y(base + counts[name])]
    const isRaised = base > 0 && from - to > 2
    return `M${x(index) + 1} ${isRaised ? rounded(from - 1) : from}V${to}h${rounded(barWidth - 2)}V${isRaised ? rounded(from - 1) : from}z`
  })
  return pieces.join('')
}

/** Round numbers from 0 to at least `most`, at most six: steps of 1, 2 or 5 times a power of ten, never below 1. */
export function niceTicks(most: number): readonly number[] {
  const rough = Math.max(most / 5, 1)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? rough
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step)
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
