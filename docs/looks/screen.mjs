// A terminal whose screen can be read cell by cell: a pseudo-terminal with xterm.js.
import pty from '@lydell/node-pty'
import xterm from '@xterm/headless'

/** Runs a program on a terminal; `until` waits for text on the screen. */
export function openScreen(file, args, { columns, rows, cwd, env }) {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true })
  const child = pty.spawn(file, args, { cols: columns, rows, cwd, env, name: env.TERM })
  const watchers = new Set()
  let cursor = true
  for (const final of ['h', 'l']) {
    terminal.parser.registerCsiHandler({ prefix: '?', final }, (modes) => {
      if (modes.includes(25)) cursor = final === 'h'
      return false
    })
  }
  child.onData((data) => terminal.write(data, () => watchers.forEach((look) => void look())))
  const ended = new Promise((resolve) => {
    child.onExit(({ exitCode }) => terminal.write('', () => resolve(exitCode)))
  })

  const text = () =>
    Array.from({ length: rows }, (_, row) => lineText(terminal, row))
      .join('\n')
      .trimEnd()

  return {
    ended,
    type: (keys) => child.write(keys),
    text,
    /** Resolves when the screen shows the pattern; rejects when the program ends before. */
    until(pattern) {
      return new Promise((resolve, reject) => {
        const look = () => {
          if (!pattern.test(text())) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
        // Never rejects.
        void ended.then((code) => {
          look()
          reject(new Error(`ended with ${code} before it showed ${pattern}:\n${text()}`))
        })
      })
    },
    /** What the screen shows now. */
    frame: () => ({
      rows: Array.from({ length: rows }, (_, row) => cellsOf(terminal, row, columns)),
      cursor: cursor ? { column: terminal.buffer.active.cursorX, row: terminal.buffer.active.cursorY } : undefined,
    }),
  }
}

function lineText(terminal, row) {
  const { active } = terminal.buffer
  return (active.getLine(active.baseY + row)?.translateToString(true) ?? '').trimEnd()
}

/** Neighbouring cells of one style joined to runs. */
function cellsOf(terminal, row, columns) {
  const { active } = terminal.buffer
  const line = active.getLine(active.baseY + row)
  const runs = []
  for (let column = 0; column < columns; column += 1) {
    const cell = line?.getCell(column)
    if (cell === undefined || cell.getWidth() === 0) continue
    const style = styleOf(cell)
    const last = runs.at(-1)
    const characters = cell.getChars() || ' '
    if (last !== undefined && last.style === style) {
      last.text += characters
      last.width += cell.getWidth()
    } else runs.push({ column, width: cell.getWidth(), style, text: characters })
  }
  return runs.filter(({ text }) => text.trim() !== '')
}

/** The names of the classes that draw a cell. */
function styleOf(cell) {
  const names = []
  if (cell.isFgPalette()) names.push(`c${cell.getFgColor()}`)
  if (cell.isBold()) names.push('bold')
  if (cell.isDim()) names.push('dim')
  return names.join(' ')
}
