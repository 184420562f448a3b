import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import xterm from '@xterm/headless'
import { onTestFinished, test } from 'vitest'
import { fhCommand, type Rig, runsPrograms, runtimeEnv } from './rig.ts'
import { runInProcess } from './run-in-process.ts'

const require = createRequire(import.meta.url)
/** Prebuilt for the usual machines only. Windows has no such signals. */
const pty = process.platform === 'win32' ? undefined : load<typeof import('@lydell/node-pty')>('@lydell/node-pty')

/** A test on a terminal; skipped if no pseudo-terminal can be opened. */
export const terminalTest = test.skipIf(pty === undefined)

const bash = ['/bin/bash', '/usr/bin/bash'].find((path) => existsSync(path))

/** A test in bash on a terminal; skipped if there is none. */
export const shellTest = test.skipIf(pty === undefined || bash === undefined)

export interface TerminalOptions {
  /** 80 unless given. */
  readonly columns?: number
  /** 24 unless given. */
  readonly rows?: number
  readonly env?: Readonly<Record<string, string>>
  /** Runs instead of fh. */
  readonly command?: readonly string[]
}

/** A terminal with a screen and a keyboard. */
export type TerminalSession = ReturnType<typeof openTerminal>

/** The state of a terminal before a program runs. */
export const asItWas = { cursor: true, wrap: true, main: true }

/**
 * Runs fh to its end on a terminal of which it needs no more than that it is one, in the process of the test. Not for
 * bars, prompts and help, which ask the process for its terminal.
 */
export async function runOnTerminal(rig: Rig, args: readonly string[], options: TerminalOptions = {}) {
  if (runsPrograms) {
    const terminal = openTerminal(rig, args, options)
    return { ...terminal, ...(await terminal.ended), raw: terminal.raw() }
  }
  const { columns = 80, rows = 24, env } = options
  const host = { args, env: { ...USUAL, ...rig.env, ...env }, folder: rig.folder, stdin: '' }
  const { code, stdout } = await runInProcess({ ...host, terminal: { columns, rows } })
  const screen = createScreen(columns, rows)
  // As the line discipline of a terminal does.
  const raw = stdout.replace(/\r?\n/g, '\r\n')
  await new Promise<void>((resolve) => screen.write(raw, resolve))
  return { code, lines: screen.lines(), paragraphs: screen.paragraphs, state: screen.state, raw }
}

/** The environment of a usual terminal. */
const USUAL = { TERM: 'xterm-256color', LANG: 'C.UTF-8', TZ: 'UTC' } as const

/** Runs fh on a new terminal, in the rig's folder and environment. */
export function openTerminal(rig: Rig, args: readonly string[], options: TerminalOptions = {}) {
  if (pty === undefined) throw new Error('No pseudo-terminal can be opened here')
  const { columns = 80, rows = 24, env = {}, command = [...fhCommand] } = options
  const [file = '', ...words] = command
  const all = runtimeEnv({ ...USUAL, ...rig.env, ...env })
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
  const ended = new Promise<{ code: number; signal: number; lines: readonly string[] }>((resolve) => {
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
    /** Resolves once this holds; rejects if the program ends before. */
    until,
    /** Resolves with the text on the screen once it matches; rejects if the program ends before. */
    async shows(pattern: RegExp): Promise<string> {
      const shown = () => screen.paragraphs().join('\n')
      await until(() => pattern.test(shown()), `the screen showed ${pattern}`)
      return shown()
    },
    lines: screen.lines,
    paragraphs: screen.paragraphs,
    /** All output, escape sequences included. */
    raw: () => raw,
    state: screen.state,
    /** Sends keys: `\r` is Enter, `\x03` is Ctrl-C. */
    type: (keys: string) => child.write(keys),
    resize(newColumns: number, newRows: number): void {
      screen.resize(newColumns, newRows)
      child.resize(newColumns, newRows)
    },
    kill: (signal: NodeJS.Signals) => process.kill(child.pid, signal),
  }
}

/**
 * Opens bash and waits for its prompt. Typing `"$@"` runs fh with these arguments, so no path has to be quoted.
 */
export async function openShell(rig: Rig, args: readonly string[]): Promise<TerminalSession> {
  const words = ['--norc', '--noprofile', '-i', '-s', '--', ...fhCommand, ...args]
  const terminal = openTerminal(rig, words, { command: [bash ?? ''], env: { PS1: '> ' } })
  await terminal.shows(/^>$/m)
  return terminal
}

/**
 * node-pty closes a terminal 200 ms after its program ended, and loses output that a busy machine has not read by then.
 * Its public interface cannot prevent that. On Linux its socket reports the end of the output, so there it stays open
 * until that end.
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

/** DECTCEM, which shows the cursor. */
const CURSOR_MODE = 25

/** The screen of a terminal as a person sees it. */
function createScreen(columns: number, rows: number) {
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
    /** Whether the cursor is shown, long lines wrap, and this is the main screen, not the alternate one. */
    state: () => ({ cursor, wrap: terminal.modes.wraparoundMode, main: terminal.buffer.active.type === 'normal' }),
  }
}

function trimmed(texts: readonly string[]): readonly string[] {
  const lines = texts.map((text) => text.trimEnd())
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1)
}
