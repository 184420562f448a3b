import { version } from '../../../package.json'
import { type AccountClient, clientOver } from '../../client/client.ts'
import type { ClientEvent, Clock, Transport } from '../../index.ts'
import type { OpenFleet } from '../../pacing/fleet/open-fleet.ts'
import type { LedgerAccount } from '../../pacing/ledger.ts'
import { stateFolder } from '../../system/environment.ts'
import { assertPrivate, readCa } from '../config/connection.ts'
import type { Credentials } from '../config/credentials.ts'
import type { GlobalFlags } from '../config/global-flags.ts'
import { type GivenSettings, limitsOf, readSetting } from '../config/settings.ts'
import { asUsage } from '../failures/cli-error.ts'
import type { Reporter, Warning } from '../output/events.ts'
import { ledgerWarning } from '../output/notes.ts'
import type { Io } from './host.ts'

export interface ClientChoice {
  /** Default: those of the settings. */
  readonly credentials?: Credentials
  /** Whether only the processes of this machine count together. Default: false. */
  readonly isAlone?: boolean
  /** Replaces the setting. */
  readonly retries?: number
  /** Where the setting is longer. */
  readonly maxWaitMs?: number
  /** How long a request waits for a Redis that cannot be reached, in milliseconds, if `--max-wait` is not less. */
  readonly ledgerPatienceMs?: number
  /** Of all uploads together; undefined for no limit. */
  readonly uploadBytesPerSecond?: number | undefined
  /** Called before the reporter gets the event. */
  readonly onEvent?: (event: ClientEvent) => void
}

/** A command that only looks is not kept waiting for Redis. */
const SHORT_PATIENCE_MS = 10_000
/** For what must not be lost. Most networks, and restarts of a server, are mended by then. */
export const LONG_PATIENCE_MS = 300_000

interface Run {
  readonly io: Io
  readonly clock: Clock
  readonly flags: GlobalFlags
  readonly reporter: Reporter
  settings(): GivenSettings
  credentials(): Promise<Credentials>
  openTransport(): Promise<Transport>
  warn(warning: Warning): void
}

/** The clients of a run, and its connections to Redis. */
export function createClients(context: Run) {
  const { clock, flags, reporter, settings, warn } = context
  const clients: AccountClient[] = []
  const fleets = new Map<string, Promise<OpenFleet>>()

  /**
   * What the runners of an account share, over one connection for each account; undefined where the setting `ledger` is
   * not set, and nothing of it is loaded. No connection is made before it is used.
   * @param given default: the account of the settings
   * @throws CliError of code `usage`, naming the place of a value that cannot be used
   */
  async function fleet(given?: Credentials): Promise<OpenFleet | undefined> {
    const url = readSetting(settings(), 'ledger')
    if (url === undefined) return undefined
    // Finding the key may run a command of the user's.
    const account = given ?? (await context.credentials())
    const name = `${account.baseUrl} ${account.apiKey}`
    const open = async () => {
      const { openFleet } = await import('../../pacing/fleet/open-fleet.ts')
      return openFleet({ url, ca: await readCa(settings()) }, { ...account, clock })
    }
    const opened = fleets.get(name) ?? open()
    fleets.set(name, opened)
    return await opened
  }

  /** @throws CliError of code `usage` if a setting cannot be used */
  async function client(choice: ClientChoice = {}): Promise<AccountClient> {
    const { baseUrl, apiKey, whose } = choice.credentials ?? (await context.credentials())
    const shared = choice.isAlone ? undefined : await fleet({ baseUrl, apiKey, whose })
    const longestMs = readSetting(settings(), 'max_wait')
    // With `--limits none` processes and runners still wait after each other's refusals.
    const patienceMs = Math.min(choice.ledgerPatienceMs ?? SHORT_PATIENCE_MS, longestMs)
    const ledger = shared ? { open: (own: LedgerAccount) => shared.openLedger({ ...own, patienceMs }) } : 'shared'
    const retries = choice.retries ?? readSetting(settings(), 'retries')
    assertPrivate(baseUrl, settings(), flags)
    const transport = await context.openTransport()
    const options = {
      baseUrl,
      apiKey,
      clock,
      userAgent: `fh/${version}`,
      allowInsecureHttp: flags.insecureHttp === true,
      pacing: { limits: limitsOf(settings()), ledger, folder: stateFolder(context.io.env) },
      retry: { retries, maxWaitMs: Math.min(choice.maxWaitMs ?? longestMs, longestMs) },
      uploadBytesPerSecond: choice.uploadBytesPerSecond,
      onEvent(event: ClientEvent) {
        choice.onEvent?.(event)
        const warning = ledgerWarning(event)
        if (warning === undefined) reporter.report({ type: 'wire', event })
        else warn(warning)
      },
    } as const
    const opened = asUsage(() => clientOver(transport, options, { whose }))
    clients.push(opened)
    return opened
  }

  return {
    fleet,
    client,
    async closeClients() {
      await Promise.all(clients.map((client) => client.close()))
      // One that could not be opened has been told.
      await Promise.allSettled([...fleets.values()].map(async (fleet) => (await fleet).close()))
    },
  }
}
