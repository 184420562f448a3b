// Draws frames of a terminal as one picture: a still one, or one that repeats its frames.
const CELL = { width: 8.4, height: 18 }
const MARGIN = 16
const BAR = 28

/** Colours of both themes; the classes are those of the 16 colours of terminals. */
const style = `
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:var(--text);white-space:pre}
.bold{font-weight:700}.dim{opacity:.62}
.c1,.c9{fill:var(--red)}.c2,.c10{fill:var(--green)}.c3,.c11{fill:var(--yellow)}
.window{fill:var(--back);stroke:var(--edge)}.dot{fill:var(--edge)}.cursor{fill:var(--text);opacity:.6}
svg{--back:#fbfbfa;--edge:#d4d4d0;--text:#24292e;--red:#b3261e;--green:#1a7f37;--yellow:#8a5d00}
@media(prefers-color-scheme:dark){svg{--back:#15181c;--edge:#3a4048;--text:#dde1e6;--red:#ff7b72;--green:#56d364;--yellow:#e3b341}}`

/**
 * @param frames the contents of the screen, each with its duration in milliseconds
 * @param label a description of the picture, for screen readers
 */
export function toSvg(frames, { columns, label }) {
  const rows = Math.max(...frames.map(lastRow)) + 1
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN)
  const height = Math.ceil(rows * CELL.height + 2 * MARGIN + BAR - 8)
  const dots = [0, 1, 2].map((index) => `<circle class="dot" cx="${20 + index * 18}" cy="17" r="5.5"/>`)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(label)}">`,
    `<style>${style}${frames.length > 1 ? animation(frames) : ''}</style>`,
    `<rect class="window" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    ...dots,
    ...frames.map((frame, index) => group(frame, frames.length > 1 ? `f${index}` : undefined)),
    '</svg>\n',
  ].join('\n')
}

function group({ rows, cursor }, id) {
  const texts = rows.flatMap((runs, row) => runs.map((run) => textOf(run, row)))
  const block =
    cursor === undefined
      ? []
      : [
          `<rect class="cursor" x="${x(cursor.column)}" y="${y(cursor.row)}" width="${CELL.width}" height="${CELL.height}"/>`,
        ]
  return `<g${id === undefined ? '' : ` id="${id}"`}>${[...texts, ...block].join('\n')}</g>`
}

/** Stretches text to the width of its columns, in any font. */
function textOf({ column, style: names, text }, row) {
  const lead = text.length - text.trimStart().length
  const shown = text.trim()
  const length = ` textLength="${round([...shown].length * CELL.width)}" lengthAdjust="spacingAndGlyphs"`
  const name = names === '' ? '' : ` class="${names}"`
  return `<text x="${x(column + lead)}" y="${round(y(row) + 13.5)}"${name}${length}>${escaped(shown)}</text>`
}

/** Shows each frame for its share of the time; only the last if the reader wants no motion. */
function animation(frames) {
  const total = frames.reduce((sum, { ms }) => sum + ms, 0)
  const last = frames.length - 1
  let from = 0
  const rules = frames.map(({ ms }, index) => {
    const [start, end] = [percent(from, total), percent(from + ms, total)]
    from += ms
    const before = index === 0 ? '' : '0%{visibility:hidden}'
    const after = index === last ? '' : `${end}%,100%{visibility:hidden}`
    return `@keyframes k${index}{${before}${start}%{visibility:visible}${after}}#f${index}{animation:k${index} ${total}ms step-end infinite}`
  })
  return [
    `g{visibility:hidden}#f${last}{visibility:visible}`,
    `@media(prefers-reduced-motion:no-preference){`,
    ...rules,
    '}',
  ].join('\n')
}

function lastRow({ rows, cursor }) {
  return Math.max(
    rows.findLastIndex((runs) => runs.length > 0),
    cursor?.row ?? 0,
  )
}

function percent(part, total) {
  return Number(((part / total) * 100).toFixed(3))
}

function x(column) {
  return round(MARGIN + column * CELL.width)
}

function y(row) {
  return MARGIN + BAR - 8 + row * CELL.height
}

function round(value) {
  return Number(value.toFixed(2))
}

function escaped(text) {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
