import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { type Ended, runInProcess } from './run-in-process.ts'
import { temporaryFolder, temporaryPlace } from './temporary-folder.ts'

export type { Ended }

const named = process.env['TEST_FH']
/** Whether each run is a program of its own. */
export const runsPrograms = named !== undefined
const built = fileURLToPath(new URL('../../bin/fh.js', import.meta.url))

/** Starts fh as a program: the one that npm links as `fh`, or the one that `TEST_FH` names. */
export const fhCommand: readonly string[] = commandOf(named ?? built)

/** A script runs in the Node of the tests, everything else by itself. */
function commandOf(program: string): readonly string[] {
  return /\.[cm]?js$/.test(program) ? [process.execPath, program] : [program]
}

/** Whether fh is a binary, whose runtime is not the Node of the tests. */
export const isBinary = fhCommand.length === 1

/** An environment for {@link fhCommand}: the binary runs code before fh that a file has and another variable names. */
export function runtimeEnv(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { NODE_OPTIONS: options, ...others } = env
  if (options === undefined || !isBinary) return env
  const code = /^--import=data:text\/javascript,(.*)$/.exec(options)?.[1]
  if (code === undefined) return { ...others, BUN_OPTIONS: options.replace('--import', '--preload') }
  const file = join(temporaryFolder(), 'code.mjs')
  writeFileSync(file, decodeURIComponent(code))
  return { ...others, BUN_OPTIONS: `--preload=${file}` }
}

/** A run of fh that may still be going on. */
export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Resolves with everything printed so far once it matches; rejects if the run ends before. */
  printed(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<string>
}

export interface StartOptions {
  /** Beside those of the rig; undefined unsets one of these. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly stdin?: string | Buffer
  /** Redirects standard output to this file; `Ended.stdout` is then empty. */
  readonly stdout?: string
  /** A program that runs fh, with its arguments. */
  readonly through?: readonly string[]
}

export interface RigOptions {
  /** Sets address and key of the service. Default: neither is set. */
  readonly service?: { readonly baseUrl: string; readonly apiKey?: string }
  /** The environment of every run. */
  readonly env?: Readonly<Record<string, string>>
  /** A program instead of {@link fhCommand}, which every run starts. */
  readonly program?: string
}

/**
 * A place to run the built fh: a home, a working folder and a temporary folder, removed when the test ends, and an
 * environment without the variables of the user who runs the tests.
 */
export async function createRig({ service, env: always = {}, program: other }: RigOptions = {}) {
  const root = await mkdtemp(join(temporaryPlace, 'fh-rig-'))
  const [home, folder, temporary] = [join(root, 'home'), join(root, 'work'), join(root, 'tmp')]
  for (const path of [home, folder, temporary]) await mkdir(path)
  const running = new Map<ChildProcess, Promise<unknown>>()
  onTestFinished(async () => {
    for (const child of running.keys()) child.kill('SIGKILL')
    // A program that still writes while its folder is removed would make the removal fail.
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

  const envWith = (env: StartOptions['env'] = {}) => {
    const all = Object.entries({ ...base, ...env })
    return Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
  }

  function start(args: readonly string[], { env, stdin, stdout, through = [] }: StartOptions = {}): Running {
    const file = stdout === undefined ? undefined : openSync(stdout, 'w')
    const command = other === undefined ? fhCommand : commandOf(other)
    const [program = '', ...words] = [...through, ...command, ...args]
    const child: ChildProcess = spawn(program, words, {
      cwd: folder,
      env: runtimeEnv(envWith(env)),
      stdio: ['pipe', file ?? 'pipe', 'pipe'],
    })
    if (file !== undefined) closeSync(file)
    // A program may end before it reads.
    if (stdin !== undefined) child.stdin?.on('error', () => {}).end(stdin)
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

  const program = (args: readonly string[], options: StartOptions = {}) => start(args, { stdin: '', ...options }).ended

  return {
    /** The environment of every run. */
    env: base as Readonly<Record<string, string>>,
    home,
    folder,
    temporary,
    configFile: join(home, '.config/fh/config.json'),
    start,
    /** Runs fh to its end, with empty standard input unless given: in this process, or as the program that `TEST_FH` names. */
    async fh(args: readonly string[], options: Pick<StartOptions, 'env' | 'stdin'> = {}): Promise<Ended> {
      if (named !== undefined || other !== undefined) return await program(args, options)
      return await runInProcess({ args, env: envWith(options.env), folder, stdin: options.stdin ?? '' })
    },
    /** Runs fh to its end as a program, with empty standard input unless given. */
    program,
    /** Writes a file below the working folder, and makes its folders. */
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
