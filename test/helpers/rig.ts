import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** The program, as npm would link it. */
export const bin = fileURLToPath(new URL('../../bin/fh.js', import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A run of fh that has not ended yet. */
export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Resolves with all that was printed as soon as it matches; rejects where the run ends before. */
  printed(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<string>
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string | Buffer
  /** A file that standard output goes to; what went there is not told. */
  readonly stdout?: string
  /** A program that runs fh in its turn, with its arguments. */
  readonly through?: readonly string[]
}

export interface RigOptions {
  /** Where the service is; nothing is set where it is left out. */
  readonly service?: { readonly baseUrl: string; readonly apiKey?: string }
  /** Set in all runs. */
  readonly env?: Readonly<Record<string, string>>
}

/**
 * A place to run the real fh in: a home, a working folder and a temporary folder of its own, removed when the test ends,
 * and an environment with nothing else in it.
 */
export async function createRig({ service, env: always = {} }: RigOptions = {}) {
  const root = await mkdtemp(join(tmpdir(), 'fh-rig-'))
  const [home, folder, temporary] = [join(root, 'home'), join(root, 'work'), join(root, 'tmp')]
  for (const path of [home, folder, temporary]) await mkdir(path)
  const running = new Map<ChildProcess, Promise<unknown>>()
  onTestFinished(async () => {
    for (const child of running.keys()) child.kill('SIGKILL')
    // Who is still writing while a folder is removed keeps it from being empty.
    await Promise.allSettled(running.values())
    await rm(root, { recursive: true, force: true })
  })
  const base: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    TMPDIR: temporary,
    TZ: 'UTC',
    ...(service && { FH_BASE_URL: service.baseUrl, FH_API_KEY: service.apiKey ?? 'test-key' }),
    ...always,
  }

  function start(args: readonly string[], { env = {}, stdin, stdout, through = [] }: StartOptions = {}): Running {
    const file = stdout === undefined ? undefined : openSync(stdout, 'w')
    const [program = '', ...words] = [...through, process.execPath, bin, ...args]
    const child: ChildProcess = spawn(program, words, {
      cwd: folder,
      env: { ...base, ...env },
      stdio: ['pipe', file ?? 'pipe', 'pipe'],
    })
    if (file !== undefined) closeSync(file)
    if (stdin !== undefined) child.stdin?.end(stdin)
    const printed = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        printed[name] += text
      })
    }
    const ended = new Promise<Ended>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) => {
        running.delete(child)
        resolve({ code, signal, ...printed })
      })
    })
    running.set(child, ended)
    return {
      child,
      ended,
      printed: (name, pattern) =>
        new Promise((resolve, reject) => {
          const look = () => {
            if (pattern.test(printed[name])) resolve(printed[name])
          }
          look()
          child[name]?.on('data', look)
          ended.then(({ stderr }) => reject(new Error(`fh ended before it printed ${pattern}: ${stderr}`)), reject)
        }),
    }
  }

  return {
    /** What every run has in its environment. */
    env: base as Readonly<Record<string, string>>,
    home,
    folder,
    temporary,
    configFile: join(home, '.config/fh/config.json'),
    start,
    /** Runs fh to its end; standard input is closed unless given. */
    fh: (args: readonly string[], options: StartOptions = {}) => start(args, { stdin: '', ...options }).ended,
    /** Writes a file into the working folder; folders on the way are made. */
    async write(path: string, content: string | Buffer): Promise<void> {
      await mkdir(join(folder, path, '..'), { recursive: true })
      await writeFile(join(folder, path), content)
    },
  }
}

export type Rig = Awaited<ReturnType<typeof createRig>>

/** The lines of JSON in a text. */
export function jsonLines(text: string): readonly Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}
