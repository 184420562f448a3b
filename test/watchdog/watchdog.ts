import type { Reporter } from 'vitest/node'
import { keepNotes, type Note, readNote } from './notes.ts'
import { type Process, processesBelow } from './processes.ts'

/** How long a worker may take between tests, to start or to load a file, in milliseconds. */
const betweenTestsMs = 120_000

export interface WatchdogOptions {
  /** How long the run may stand still beyond the time limit of the current tests, in milliseconds. Default: 30,000. */
  readonly patienceMs?: number
  /** A clock in milliseconds. Default: `performance.now`; a test of the watchdog has its own. */
  readonly now?: () => number
}

/** A worker of Vitest, the test it is in, and the programs it started. */
interface Worker extends Process {
  readonly note: Note | null
  readonly programs: readonly Process[]
}

/**
 * Ends a run that stands still. Vitest's time limit ends a test that waits, but not a test that blocks its process. The
 * watchdog names the current tests and the programs they started. It kills the programs and, if that does not help, the
 * workers; Vitest then continues with the next file, and the run fails.
 */
export class Watchdog implements Reporter {
  readonly #patienceMs: number
  readonly #now: () => number
  #movedAt = 0
  #timer: NodeJS.Timeout | undefined
  #forget = () => {}
  #hasEndedPrograms = false

  constructor({ patienceMs = 30_000, now = () => performance.now() }: WatchdogOptions = {}) {
    this.#patienceMs = patienceMs
    this.#now = now
  }

  onTestRunStart(): void {
    this.#forget = keepNotes()
    this.#move()
    this.#timer = setInterval(() => this.#look(), this.#patienceMs / 4)
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer)
    this.#forget()
  }

  onTestModuleStart = () => this.#move()
  onTestModuleEnd = () => this.#move()
  onTestCaseReady = () => this.#move()
  onTestCaseResult = () => this.#move()

  #move(): void {
    this.#movedAt = this.#now()
    this.#hasEndedPrograms = false
  }

  #look(): void {
    const stillMs = this.#now() - this.#movedAt
    const workers = workersUnderWay()
    // Between two files there may be no worker.
    if (workers.length === 0) return
    const limitMs = this.#patienceMs + Math.max(...workers.map(({ note }) => note?.timeoutMs ?? betweenTestsMs))
    if (stillMs < limitMs) return
    process.stderr.write(`\n${report(stillMs, workers)}\n`)
    const programs = workers.flatMap((worker) => worker.programs)
    end(programs.length > 0 && !this.#hasEndedPrograms ? programs : workers)
    this.#hasEndedPrograms = true
    // A test whose programs were killed gets time to end, but not its whole limit again.
    this.#movedAt = this.#now() - limitMs + this.#patienceMs
  }
}

function workersUnderWay(): readonly Worker[] {
  // Other children, such as a bundler's service, outlive the test files.
  const isWorker = ({ parent, command }: Process) => parent === process.pid && command.includes('vitest')
  return processesBelow(process.pid)
    .filter(isWorker)
    .map((worker) => ({ ...worker, note: readNote(worker.pid), programs: processesBelow(worker.pid) }))
}

function report(stillMs: number, workers: readonly Worker[]): string {
  const rows = workers.flatMap(({ note, programs }) => [
    `  ${note?.test ?? 'a file between its tests'}`,
    ...programs.map(({ pid, command }) => `    has started ${pid}: ${command}`),
  ])
  return [
    `The run stands still: no test has begun or ended for ${(stillMs / 1_000).toFixed(1)} s. It ends these:`,
    ...rows,
  ].join('\n')
}

function end(processes: readonly Process[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has just ended.
    }
  }
}
