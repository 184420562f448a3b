import { EventEmitter } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { onTestFinished } from 'vitest'

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface InProcessRun {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
  readonly stdin: string | Buffer
  /** The size of a terminal for all three streams; what it gets is all in `stdout`. */
  readonly terminal?: { readonly columns: number; readonly rows: number }
}

let running: string | undefined

/**
 * Runs fh to its end in the process of the test, which takes a tenth of the time of a process of its own. Environment
 * and working folder belong to the process, so that one run must have ended before the next begins. A run that the test
 * leaves behind is stopped when the test ends.
 *
 * @throws Error where another run has not ended: two at once need processes
 */
export async function runInProcess({ args, env, folder, stdin, terminal }: InProcessRun): Promise<Ended> {
  if (running !== undefined) {
    throw new Error(`fh ${running} has not ended: two at once need processes, see start() and program() of the rig`)
  }
  running = args.join(' ')
  const { host, printed } = createHost(env, stdin, terminal)
  const leave = enter(env, folder)
  const ended = import('../../src/cli/run/run-cli.ts').then(({ runCli }) => runCli(args, host)).finally(leave)
  onTestFinished(async () => {
    if (running === undefined) return
    // The second signal gives the run up.
    for (const signal of ['SIGTERM', 'SIGTERM'] as const) host.emit(signal, signal)
    await ended.catch(() => {})
  })
  return { code: await ended, signal: null, ...printed() }
}

function createHost(env: InProcessRun['env'], input: string | Buffer, terminal?: InProcessRun['terminal']) {
  const stdout = collector()
  const stderr = terminal ? stdout : collector()
  const traits = terminal && { isTTY: true, ...terminal }
  const host = Object.assign(new EventEmitter(), {
    env,
    stdin: Object.assign(Readable.from(input.length === 0 ? [] : [Buffer.from(input)]), traits),
    stdout: Object.assign(stdout.stream, traits),
    stderr: stderr.stream,
    pid: process.pid,
    kill: process.kill,
    exit: (code: number): never => {
      throw new Error(`fh left its process with ${code}`)
    },
  })
  return {
    host: host as unknown as NodeJS.Process,
    printed: () => ({ stdout: stdout.text(), stderr: stderr.text() }),
  }
}

function collector() {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString() }
}

/** Gives this process the environment and the folder of a run. @returns gives it its own back, once */
function enter(env: Readonly<Record<string, string>>, folder: string): () => void {
  const [formerEnv, formerFolder, { setTimeout }, { now }] = [{ ...process.env }, process.cwd(), globalThis, Date]
  setEnv(env)
  process.chdir(folder)
  preloadInto(env['NODE_OPTIONS'])
  let isInside = true
  return () => {
    if (!isInside) return
    isInside = false
    running = undefined
    globalThis.setTimeout = setTimeout
    Date.now = now
    process.chdir(formerFolder)
    setEnv(formerEnv)
  }
}

/** `os.homedir()`, `os.tmpdir()` and `Date` read the environment of the process. */
function setEnv(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  for (const [name, value] of Object.entries(env)) process.env[name] = value
}

/** Runs the code that test/helpers/preload.ts has Node run before fh. */
function preloadInto(nodeOptions: string | undefined): void {
  const code = /^--import=data:text\/javascript,(\S+)$/.exec(nodeOptions ?? '')?.[1]
  if (code !== undefined) new Function(decodeURIComponent(code))()
}
