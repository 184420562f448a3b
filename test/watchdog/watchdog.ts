import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Reporter } from 'vitest/node'

/** Names the folder of notes, one file for each worker, named by its process id; workers inherit the variable. */
const variable = 'TEST_WATCHDOG_NOTES'

/** Writes down what this worker begins, and how long it may take: a blocked process answers no questions. */
export function writeNote(test: string, timeoutMs: number): void {
  const folder = process.env[variable]
  if (folder !== undefined) writeFileSync(join(folder, String(process.pid)), `${timeoutMs} ${test}`)
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

  /** @param patienceMs how long a test may exceed its time limit */
  constructor(patienceMs = 30_000, now = () => performance.now()) {
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

  #move = () => {
    this.#movedAt = this.#now()
  }
  onTestModuleStart = this.#move
  onTestModuleEnd = this.#move
  onTestCaseReady = this.#move
  onTestCaseResult = this.#move

  #look(): void {
    const stillMs = this.#now() - this.#movedAt
    if (stillMs < this.#patienceMs) return
    const all = runningProcesses()
    const workers = all.flatMap(({ pid }) => {
      const note = readText(join(this.#folder, String(pid)))
      return note === undefined ? [] : [{ pid, note: note.split(' '), programs: processesBelow(pid, all) }]
    })
    // Between two files there may be no worker.
    const longestMs = Math.max(...workers.map(({ note }) => Number(note[0])))
    if (workers.length === 0 || stillMs < this.#patienceMs + longestMs) return
    const rows = workers.flatMap(({ note, programs }) => [
      `  ${note.slice(1).join(' ')}`,
      ...programs.map(({ pid, command }) => `    has started ${pid}: ${command}`),
    ])
    const why = `no test has begun or ended for ${(stillMs / 1_000).toFixed(1)} s`
    process.stderr.write(`\nThe run is stuck: ${why}. The watchdog kills:\n${rows.join('\n')}\n`)
    for (const { pid } of workers.flatMap(({ programs, ...worker }) => [...programs, worker])) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has just ended.
      }
    }
    this.#move()
  }
}

interface Process {
  readonly pid: number
  readonly parent: number
  readonly command: string
}

/** All descendants of a process, parents before their children. */
function processesBelow(root: number, all: readonly Process[]): readonly Process[] {
  return all.filter(({ parent }) => parent === root).flatMap((child) => [child, ...processesBelow(child.pid, all)])
}

/** None on Windows. Small Linux images have no `ps`; other systems have no `/proc`. */
function runningProcesses(): readonly Process[] {
  if (process.platform === 'linux') {
    return readdirSync('/proc').flatMap((pid) => {
      const parent = /^PPid:\s*(\d+)/m.exec(readText(`/proc/${pid}/status`) ?? '')?.[1]
      const command = readText(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ').trim()
      return parent === undefined || command === undefined
        ? []
        : [{ pid: Number(pid), parent: Number(parent), command }]
    })
  }
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
  const rows = [...(stdout ?? '').matchAll(/^\s*(\d+)\s+(\d+)\s+(.*)$/gm)]
  return rows.map(([, pid, parent, command = '']) => ({ pid: Number(pid), parent: Number(parent), command }))
}

/** Undefined if there is no such file, or no longer. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
