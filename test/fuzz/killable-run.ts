import { type Context, createContext } from '../../src/cli/context/context.ts'
import type { Io } from '../../src/cli/context/host.ts'
import { describeFailure } from '../../src/cli/failures/failure.ts'
import type { CliEvent, ItemRecord } from '../../src/cli/output/events.ts'
import { parseArgv } from '../../src/cli/run/program.ts'
import { createClient, createSharedLedger } from '../../src/index.ts'
import { unlimited } from '../../src/protocol/rate-limits.ts'
import { killableWork } from '../helpers/killable.ts'
import { type CrashPoints, createCrashPoints, type RunOptions } from './crash-points.ts'

/** One run of a program that can be killed at any of its requests. */
export interface KillableRun {
  /** What it reported for each item, by index, until it ended or was killed. */
  readonly records: ReadonlyMap<number, ItemRecord>
  /** How it ended; the error if it threw one. */
  readonly end: 'exit' | 'killed' | { readonly error: unknown }
  /** Undefined if it was killed. */
  readonly exitCode: number | undefined
}

export const BASE_URL = 'http://127.0.0.1'

/** Runs `fh` with these arguments. */
export async function runKillable(argv: readonly string[], options: RunOptions): Promise<KillableRun> {
  const records = new Map<number, ItemRecord>()
  const { within, kill } = killableWork(() => crashPoints.isTorn())
  const onKill: RunOptions['onKill'] = (killedBy) => {
    kill()
    options.onKill(killedBy)
  }
  const crashPoints: CrashPoints = createCrashPoints({ ...options, onKill })
  const report = (event: CliEvent) => {
    if (!crashPoints.isKilled()) options.onEvent?.(event, () => crashPoints.interruption.stop('SIGINT'))
    if (event.type !== 'item-finished' || crashPoints.isKilled() || crashPoints.isKilledBeforeReport()) return
    records.set(event.index, event.record)
    crashPoints.afterReport()
  }
  const invocation = await parseArgv(argv)
  const context = contextOf(options, crashPoints, report)
  const { interruption } = crashPoints
  const work = within(async () => await invocation.run(context)).then(
    (result) => ({ end: 'exit', exitCode: interruption.exitCode() ?? (result || 0) }) as const,
    (error: unknown) => ({ end: { error }, exitCode: interruption.exitCode() ?? describeFailure(error).exitCode }),
  )
  const outcome = await Promise.race([work, crashPoints.killed])
  if (outcome === 'killed') {
    interruption.dispose()
    return { records, end: 'killed', exitCode: undefined }
  }
  await context.close()
  return { records, ...outcome }
}

function contextOf(options: RunOptions, crashPoints: CrashPoints, report: (event: CliEvent) => void): Context {
  const { apiKey, folder, scenario, limits } = options
  const { clock } = crashPoints
  const stdin = (options.stdin ?? process.stdin) as NodeJS.ReadStream
  const env = {
    FH_BASE_URL: BASE_URL,
    FH_API_KEY: apiKey,
    FH_STATE_DIR: folder,
    FH_CONFIG_DIR: folder,
    FH_RETRIES: String(scenario.retries),
    ...(limits === unlimited && { FH_LIMITS: 'none' }),
  }
  const context = createContext({
    io: { env, stdin, stdout: process.stdout, stderr: process.stderr } satisfies Io,
    clock,
    flags: {},
    reporter: { report, close: () => {} },
    interruption: crashPoints.interruption,
    openTransport: () => ({ send: crashPoints.transport.send }),
    describeProgram: () => Promise.reject(new Error('No scenario asks for help')),
  })
  const { pacing: chosen } = scenario
  if (chosen === undefined) return context
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
        pacing: pacing[chosen](),
        retry: { retries: scenario.retries },
      }),
  }
}
