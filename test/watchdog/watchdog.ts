import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Reporter } from 'vitest/node'

/** Names the folder of notes, one file for each worker, named by its process id; workers inherit the variable. */
const variable = 'TEST_WATCHDOG_NOTES'

/** What a worker is doing, written before it begins: a blocked process answers no questions. */
interface Note {
  /** The file, and the full name of the test if one runs. */
  readonly test: string
  /** How long it may take, in milliseconds. */
  readonly timeoutMs: number
}

interface Process {
  readonly pid: number
  readonly parent: number
  /** The command line. */
  readonly command: string
}

/** Writes down what this worker begins. Does nothing without a watchdog. */
export function writeNote({ test, timeoutMs }: Note): void {
  const folder = process.env[variable]
  if (folder !== undefined) writeFileSync(join(folder, String(process.pid)), `${timeoutMs} ${test}`)
}

interface WatchdogOptions {
  /** How long a test may exceed its time limit, in milliseconds. Default: 30,000. */
  readonly patienceMs?: number
  /** A clock in milliseconds. Default: `performance.now`. */
  readonly now?: () => number
}

/**
 * Ends a run that is stuck. Vitest's time limit ends a test that waits, but not a test that blocks its process. The
 * watchdog names the tests in progress and the programs they started, and kills both the programs and the workers.
 * Vitest then continues with the next file, and the run fails.
 */
export class Watchdog implements Reporter {
  readonly #patienceMs: number
  readonly #now: () => number
  #movedAt = 0
  #timer: NodeJS.Timeout | undefined
  #folder = ''

  constructor({ patienceMs = 30_000, now = () => performance.now() }: WatchdogOptions = {}) {
    this.#patienceMs = patienceMs
    this.#now = now
  }

  onTestRunStart(): void {
    this.#folder = mkdtempSync(join(tmpdir(), 'test-watchdog-'))
    process.env[variable] = this.#folder
    this.#move()
    this.#timer = setInterval(() => this.#look(), this.#patienceMs / 4)
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  onTestModuleStart = () => this.#move()
  onTestModuleEnd = () => this.#move()
  onTestCaseReady = () => this.#move()
  onTestCaseResult = () => this.#move()

  #move(): void {
    this.#movedAt = this.#now()
  }

  #look(): void {
    const stillMs = this.#now() - this.#movedAt
    if (stillMs < this.#patienceMs) return
    const all = runningProcesses()
    const notes = readNotes(this.#folder)
    const workers = all.flatMap(({ pid }) => {
      const note = notes.get(pid)
      return note === undefined ? [] : [{ ...note, pid, programs: processesBelow(pid, all) }]
    })
    // Between two files there may be no worker.
    if (workers.length === 0) return
    if (stillMs < this.#patienceMs + Math.max(...workers.map(({ timeoutMs }) => timeoutMs))) return
    const rows = workers.flatMap(({ test, programs }) => [
      `  ${test}`,
      ...programs.map(({ pid, command }) => `    has started ${pid}: ${command}`),
    ])
    const why = `no test has begun or ended for ${(stillMs / 1_000).toFixed(1)} s`
    process.stderr.write(`\nThe run is stuck: ${why}. The watchdog kills:\n${rows.join('\n')}\n`)
    for (const { pid, programs } of workers) kill([...programs, { pid }])
    this.#move()
  }
}

function readNotes(folder: string): ReadonlyMap<number, Note> {
  return new Map(
    readdirSync(folder).map((pid) => {
      const [timeoutMs, ...words] = readFileSync(join(folder, pid), 'utf8').split(' ')
      return [Number(pid), { test: words.join(' '), timeoutMs: Number(timeoutMs) }]
    }),
  )
}

/** All descendants of a process, parents before their children. */
function processesBelow(root: number, all: readonly Process[]): readonly Process[] {
  const children = all.filter(({ parent }) => parent === root)
  return children.flatMap((child) => [child, ...processesBelow(child.pid, all)])
}

/** None on Windows. Small Linux images have no `ps`; other systems have no `/proc`. */
function runningProcesses(): readonly Process[] {
  if (process.platform === 'linux') return readProc()
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
  return [...(stdout ?? '').matchAll(/^\s*(\d+)\s+(\d+)\s+(.*)$/gm)].map(([, pid, parent, command = '']) => ({
    pid: Number(pid),
    parent: Number(parent),
    command,
  }))
}

function readProc(): readonly Process[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const parent = /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1]
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      return [{ pid: Number(name), parent: Number(parent), command }]
    } catch {
      // It is no process, or it has just ended.
      return []
    }
  })
}

function kill(processes: readonly { readonly pid: number }[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has just ended.
    }
  }
}
