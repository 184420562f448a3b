import type { CliEvent, ItemRecord } from '../../src/cli/output/events.ts'
import { type Context, createContext } from '../../src/cli/run/context.ts'
import type { Io } from '../../src/cli/run/host.ts'
import { parseArgv } from '../../src/cli/run/program.ts'
import { createClient, createSharedLedger } from '../../src/index.ts'
import { type CrashPoints, createCrashPoints, type RunOptions } from './crash-points.ts'

/** One run of a program that can be killed at any of its requests. */
export interface KillableRun {
  /** What it reported for each item, by index, until it ended or was killed. */
  readonly records: ReadonlyMap<number, ItemRecord>
  /** How it ended; the error if it threw one. */
  readonly end: 'exit' | 'killed' | { readonly error: unknown }
}

const BASE_URL = 'http://127.0.0.1'

/** Runs `fh` with these arguments. */
export async function runKillable(argv: readonly string[], options: RunOptions): Promise<KillableRun> {
  const records = new Map<number, ItemRecord>()
  const crashPoints = createCrashPoints(options)
  const report = (event: CliEvent) => {
    if (!crashPoints.isKilled()) options.onEvent?.(event)
    if (event.type !== 'item-finished' || crashPoints.isKilled() || crashPoints.isKilledBeforeReport()) return
    records.set(event.index, event.record)
    crashPoints.afterReport()
  }
  const invocation = await parseArgv(argv)
  if (invocation.type !== 'run') throw new Error(`fh ${argv.join(' ')} was not understood: ${invocation.text}`)
  const work = invocation.run(contextOf(options, crashPoints, report)).then(
    () => 'exit' as const,
    (error: unknown) => ({ error }),
  )
  const end = await Promise.race([work, crashPoints.killed])
  crashPoints.interruption.dispose()
  return { records, end }
}

function contextOf(options: RunOptions, crashPoints: CrashPoints, report: (event: CliEvent) => void): Context {
  const { apiKey, folder, clock, scenario, limits } = options
  const env = { FH_BASE_URL: BASE_URL, FH_API_KEY: apiKey, FH_STATE_DIR: folder, FH_CONFIG_DIR: folder }
  const context = createContext({
    io: { env, stdin: process.stdin, stdout: process.stdout, stderr: process.stderr } satisfies Io,
    clock,
    flags: {},
    reporter: { report, close: () => {} },
    interruption: crashPoints.interruption,
    describeProgram: () => Promise.reject(new Error('No scenario asks for help')),
  })
  const ledger = () => createSharedLedger({ folder, baseUrl: BASE_URL, apiKey, limits, clock })
  const pacing = { shared: () => ({ ledger: ledger() }), memory: () => ({ limits }), none: () => false as const }
  return {
    ...context,
    client: async () =>
      createClient({
        baseUrl: BASE_URL,
        apiKey,
        clock,
        transport: crashPoints.transport,
        pacing: pacing[scenario.pacing](),
        retry: { retries: scenario.retries },
      }),
  }
}
