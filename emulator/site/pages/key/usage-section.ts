import {
  classOf,
  sumOf,
  type Usage,
  type UsageBar,
  type UsageClass,
  type UsageRange,
  usageClasses,
  usageRanges,
} from '../../../service/usage.ts'
import { type Html, html } from '../../html/html.ts'
import { placePath } from '../../site-routes.ts'
import { barText, countText } from '../../texts/quantities.ts'
import type { Visitor } from '../../visitor.ts'
import { swatch, usageChart } from './usage-chart.ts'

/** The account's API requests by time, and by method, endpoint and status (spec 1). */
export function usageSection(visitor: Visitor, usage: Usage): Html {
  const { usage: say } = visitor.say
  const count = (value: number) => countText(value, visitor.language)
  const label = (bar: UsageBar) => barText(bar.from, usage.range, visitor.language, visitor.timezone)
  const isEmpty = usage.rows.length === 0
  const legend = html`<ul class="legend">
${usageClasses.map((name) => html`<li>${swatch(name)} ${say.classes[name]}: ${count(usage.totals[name])}</li>\n`)}</ul>`
  return html`<section class="card" aria-labelledby="usage"><h2 id="usage">${say.heading}</h2>
${rangeLinks(visitor, usage.range)}
<figure role="img" aria-label="${summary(visitor, usage, label)}">${isEmpty ? html`<p class="empty">${say.none}</p>` : usageChart(visitor, usage)}</figure>
${!isEmpty && legend}
${usage.isIncomplete && html`<p class="soft">${say.incomplete}</p>`}
${!isEmpty && tables(visitor, usage, label)}</section>`
}

function rangeLinks({ root, say }: Visitor, current: UsageRange): Html {
  const link = (range: UsageRange) =>
    html`<a href="${root}${placePath('key')}?range=${range}#usage"${range === current && html` aria-current="true"`}>${say.usage.ranges[range]}</a>\n`
  return html`<nav class="tabs" aria-label="${say.usage.rangeLinks}">${usageRanges.map(link)}</nav>`
}

/** The finding in one sentence, for those who cannot see the chart. */
function summary({ say, language }: Visitor, { range, totals, bars }: Usage, label: (bar: UsageBar) => string): string {
  const all = sumOf(totals)
  const busiest = bars.reduce((one, other) => (sumOf(other.counts) > sumOf(one.counts) ? other : one))
  const refused = countText(totals.limited, language)
  const mostAt = all === 0 ? undefined : label(busiest)
  return say.usage.summary(say.usage.ranges[range], countText(all, language), refused, mostAt)
}

/** A path that a narrow screen breaks before its slashes. */
function breakable(path: string): Html {
  const [first = '', ...rest] = path.split('/')
  return html`${first}${rest.map((part) => html`<wbr>/${part}`)}`
}

function tables(visitor: Visitor, usage: Usage, label: (bar: UsageBar) => string): Html {
  const { usage: say } = visitor.say
  const count = (value: number) => countText(value, visitor.language)
  const heads = (names: readonly string[]) => names.map((name) => html`<th scope="col">${name}</th>`)
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${say.byEndpoint}">
<table><caption>${say.byEndpoint}</caption>
<thead><tr>${heads([say.method, say.endpoint, say.status])}<th scope="col" class="number">${say.count}</th></tr></thead>
<tbody>
${usage.rows.map((row) => html`<tr><td>${row.method}</td><td>${breakable(row.endpoint ?? say.otherPaths)}</td><td><span class="pill ${classOf(row.status)}">${row.status}</span></td><td class="number">${count(row.count)}</td></tr>\n`)}</tbody></table></div>
<details><summary>${say.byTime}</summary>
<div class="scroll" role="region" tabindex="0" aria-label="${say.byTime}">
<table><caption>${say.byTime}</caption>
<thead><tr><th scope="col">${say.time}</th>${usageClasses.map((name) => html`<th scope="col" class="number">${say.classes[name]}</th>`)}</tr></thead>
<tbody>
${usage.bars.map((bar) => html`<tr><th scope="row">${label(bar)}</th>${usageClasses.map((name: UsageClass) => html`<td class="number">${count(bar.counts[name])}</td>`)}</tr>\n`)}</tbody></table></div></details>`
}
