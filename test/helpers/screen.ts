import xterm from '@xterm/headless'

/** The state a program left a terminal in. */
export interface ScreenState {
  /** Whether the cursor is shown. */
  readonly cursor: boolean
  /** Whether long lines wrap. */
  readonly wrap: boolean
  /** Whether this is the main screen, not the alternate one. */
  readonly main: boolean
}

/** DECTCEM, which shows the cursor. */
const CURSOR_MODE = 25

/** The screen of a terminal as a person sees it. */
export function createScreen(columns: number, rows: number) {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 10_000 })
  let cursor = true
  for (const final of ['h', 'l'] as const) {
    terminal.parser.registerCsiHandler({ prefix: '?', final }, (modes) => {
      if (modes.includes(CURSOR_MODE)) cursor = final === 'h'
      return false
    })
  }

  function texts(): readonly { readonly text: string; readonly wrapped: boolean }[] {
    const { active } = terminal.buffer
    return Array.from({ length: active.length }, (_, row) => {
      const line = active.getLine(row)
      return { text: line?.translateToString() ?? '', wrapped: line?.isWrapped === true }
    })
  }

  return {
    write: (data: string, done: () => void) => terminal.write(data, done),
    resize: (newColumns: number, newRows: number) => terminal.resize(newColumns, newRows),
    /** All lines, also those that have scrolled away, without trailing blanks. */
    lines: () => trimmed(texts().map(({ text }) => text)),
    /** The same, with wrapped lines joined again. */
    paragraphs(): readonly string[] {
      const whole: string[] = []
      for (const { text, wrapped } of texts()) {
        if (wrapped) whole.push(`${whole.pop()}${text}`)
        else whole.push(text)
      }
      return trimmed(whole)
    },
    state: (): ScreenState => ({
      cursor,
      wrap: terminal.modes.wraparoundMode,
      main: terminal.buffer.active.type === 'normal',
    }),
  }
}

function trimmed(texts: readonly string[]): readonly string[] {
  const lines = texts.map((text) => text.trimEnd())
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1)
}
