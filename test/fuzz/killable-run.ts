import type { CliEvent, ItemRecord } from '../../src/cli/output/events.ts'
import { type Context, createContext } from '../../src/cli/run/context.ts'
import type { Io } from '../../src/cli/run/host.ts'
import { parseArgv } from '../../src/cli/run/program.ts'
import { createClient, createSharedLedger } from '../../src/index.ts'
import { createFate, type Fate } from './crash-points.ts'
import type { RunOptions } from './run-options.ts'

/** A program that is run once, and may be killed at any of its requests. */
export interface MortalRun {
  /** What it reported of its items, by their index, up to its end. */
  readonly records: ReadonlyMap<number, ItemRecord>
  /** How it ended; what it threw where it did. */
  readonly end: 'by itself' | 'killed' | { readonly error: unknown }
}

const BASE_URL = 'http://127.0.0.1'

/** Runs `fh` with these arguments. */
export async function runMortal(argv: readonly string[], options: RunOptions): Promise<MortalRun> {
  const records = new Map<number, ItemRecord>()
  const fate = createFate(options)
  const report = (event: CliEvent) => {
    if (event.type !== 'item-finished' || fate.isDead() || fate.endsBeforeReport()) return
    records.set(event.index, event.record)
    fate.afterReport()
  }
  const invocation = await parseArgv(argv)
  if (invocation.type !== 'run') throw new Error(`fh ${argv.join(' ')} was not understood: ${invocation.text}`)
  const work = invocation.run(contextOf(options, fate, report)).then(
    () => 'by itself' as const,
    (error: unknown) => ({ error }),
  )
  const end = await Promise.race([work, fate.killed])
  fate.interruption.dispose()
  return { records, end }
}

function contextOf(options: RunOptions, fate: Fate, report: (event: CliEvent) => void): Context {
  const { apiKey, folder, clock, plot, limits } = options
  const env = { FH_BASE_URL: BASE_URL, FH_API_KEY: apiKey, FH_STATE_DIR: folder, FH_CONFIG_DIR: folder }
  const context = createContext({
    io: { env, stdin: process.stdin, stdout: process.stdout, stderr: process.stderr } satisfies Io,
    clock,
    flags: {},
    reporter: { report, close: () => {} },
    interruption: fate.interruption,
    describeProgram: () => Promise.reject(new Error('No plot asks for help')),
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
        transport: fate.transport,
        pacing: pacing[plot.pacing](),
        retry: { retries: plot.retries },
      }),
  }
}
