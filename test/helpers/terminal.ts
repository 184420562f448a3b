import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { onTestFinished, test } from 'vitest'
import { bin, type Rig } from './rig.ts'
import { createScreen, type ScreenState } from './screen.ts'

const require = createRequire(import.meta.url)
/** The binary is there for the usual machines alone, and signals are another matter on Windows. */
const pty = process.platform === 'win32' ? undefined : load<typeof import('@lydell/node-pty')>('@lydell/node-pty')

/** A test on a terminal; passed over where no pseudo-terminal can be opened. */
export const terminalTest = test.skipIf(pty === undefined)

const bash = ['/bin/bash', '/usr/bin/bash'].find((path) => existsSync(path))

/** A test in a shell on a terminal; passed over where there is none. */
export const shellTest = test.skipIf(pty === undefined || bash === undefined)

export interface TerminalOptions {
  /** 80 unless given. */
  readonly columns?: number
  /** 24 unless given. */
  readonly rows?: number
  readonly env?: Readonly<Record<string, string>>
  /** What runs there in place of fh. */
  readonly command?: readonly string[]
}

export interface TerminalEnd {
  readonly code: number
  /** The number of the signal it died of; 0 where it ended by itself. */
  readonly signal: number
  /** All lines, those that have scrolled away included. */
  readonly lines: readonly string[]
}

/** A person's terminal: what is on its screen, and a keyboard. */
export interface TerminalSession {
  readonly pid: number
  readonly ended: Promise<TerminalEnd>
  /** Resolves with all paragraphs as one text as soon as they match; rejects where the program ends before. */
  shows(pattern: RegExp): Promise<string>
  /** Resolves as soon as this holds; rejects where the program ends before. */
  until(holds: () => boolean, what: string): Promise<void>
  /** All lines, without what is blank at the end. */
  lines(): readonly string[]
  /** The same, those that the terminal has wrapped put together again. */
  paragraphs(): readonly string[]
  /** All that came, escape sequences included. */
  raw(): string
  state(): ScreenState
  /** Keys as a terminal sends them: `\r` is Enter, `\x03` is Ctrl-C. */
  type(keys: string): void
  resize(columns: number, rows: number): void
  kill(signal: NodeJS.Signals): void
}

/** What a terminal is when nothing was done to it. */
export const asItWas: ScreenState = { cursor: true, wrap: true, main: true }

/** Runs fh on a terminal of its own, in the rig's folder and environment. */
export function openTerminal(rig: Rig, args: readonly string[], options: TerminalOptions = {}): TerminalSession {
  if (pty === undefined) throw new Error('No pseudo-terminal can be opened here')
  const { columns = 80, rows = 24, env = {}, command = [process.execPath, bin] } = options
  const [file = '', ...words] = command
  const all: Record<string, string> = { TERM: 'xterm-256color', LANG: 'C.UTF-8', TZ: 'UTC', ...rig.env, ...env }
  const child = pty.spawn(file, [...words, ...args], {
    cols: columns,
    rows,
    cwd: rig.folder,
    env: all,
    name: all['TERM'] ?? '',
  })
  readToTheEnd(child)
  const screen = createScreen(columns, rows)
  const watchers = new Set<() => void>()
  let raw = ''
  let over = false
  child.onData((data) => {
    raw += data
    screen.write(data, () => {
      for (const look of watchers) look()
    })
  })
  const ended = new Promise<TerminalEnd>((resolve) => {
    child.onExit(({ exitCode, signal = 0 }) => {
      over = true
      screen.write('', () => resolve({ code: exitCode, signal, lines: screen.lines() }))
    })
  })
  onTestFinished(async () => {
    if (!over) child.kill('SIGKILL')
    await ended
  })

  function until(holds: () => boolean, what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (!holds()) return
        watchers.delete(look)
        resolve()
      }
      watchers.add(look)
      look()
      // Never rejects.
      void ended.then(({ code, lines }) => {
        look()
        reject(new Error(`The program ended with ${code} before ${what}:\n${lines.join('\n')}`))
      })
    })
  }

  return {
    pid: child.pid,
    ended,
    until,
    async shows(pattern) {
      await until(() => pattern.test(screen.paragraphs().join('\n')), `the screen showed ${pattern}`)
      return screen.paragraphs().join('\n')
    },
    lines: screen.lines,
    paragraphs: screen.paragraphs,
    raw: () => raw,
    state: screen.state,
    type: (keys) => child.write(keys),
    resize(newColumns, newRows) {
      screen.resize(newColumns, newRows)
      child.resize(newColumns, newRows)
    },
    kill: (signal) => process.kill(child.pid, signal),
  }
}

/**
 * A shell that has shown its prompt. There `"$@"` runs fh with these arguments: they are not typed, so that no path has to
 * be quoted.
 */
export async function openShell(rig: Rig, args: readonly string[]): Promise<TerminalSession> {
  const words = ['--norc', '--noprofile', '-i', '-s', '--', process.execPath, bin, ...args]
  const terminal = openTerminal(rig, words, { command: [bash ?? ''], env: { PS1: '> ' } })
  await terminal.shows(/^>$/m)
  return terminal
}

/**
 * The library closes a terminal 200 ms after its program has ended, whether all that was printed has been read or not:
 * on a busy machine it has not. Where the system tells of the end by itself nothing has to be closed.
 */
function readToTheEnd(child: object): void {
  if (process.platform !== 'linux') return
  const { _socket: socket } = child as { readonly _socket: Socket }
  const destroy = socket.destroy.bind(socket)
  socket.destroy = (error) => (error === undefined && !socket.readableEnded ? socket : destroy(error))
}

function load<T>(name: string): T | undefined {
  try {
    return require(name) as T
  } catch {
    return undefined
  }
}
