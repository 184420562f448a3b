import type { Clock } from '../clock.ts'
import type { Ledger, LedgerAccount, LedgerOutage } from '../pacing/ledger.ts'
import type { LedgerLine } from '../pacing/shared-ledger/ledger-line.ts'
import { exactHash } from '../system/account-hash.ts'
import { fleetKeys } from './fleet-keys.ts'
import { type FleetLog, type FleetLogOptions, openFleetLog } from './fleet-log.ts'
import { type FleetReading, readFleet, unlearnFleet } from './fleet-reading.ts'
import type { Heartbeat } from './heartbeat.ts'
import { inspectRedis, type RedisInspection } from './inspect-redis.ts'
import { openRedisLink } from './redis-client-link.ts'
import { FleetProblem } from './redis-link.ts'
import { parseRedisUrl, shownRedisUrl } from './redis-url.ts'
import { aloneFolder, openRunnerLedger, type RunnerLedger } from './runner-ledger.ts'

export type { FleetReading, RedisInspection }

export interface FleetOutage extends LedgerOutage {
  /** Whether it may pass by itself. */
  readonly isPassing: boolean
}

interface FleetOptions {
  /** `redis://` or `rediss://`. */
  readonly url: string
  /** Certificate authorities in PEM to trust besides those of Node. */
  readonly ca: string | undefined
  readonly baseUrl: string
  readonly apiKey: string
  readonly clock: Clock
}

/** What the runners of a key share through one Redis server. */
export interface OpenFleet {
  /** The server, for messages: without user and password. */
  readonly server: string
  /** The ledger of this process. Its `close` keeps the connection. */
  openLedger(account: LedgerAccount): Ledger
  /** Where runners that are cut off count, of a folder for state. */
  aloneFolder(folder: string): string
  /** Another log of the same runners. Usable once the ledger is open. */
  openLog<Line>(options: Omit<FleetLogOptions<Line>, 'link' | 'clock' | 'runner'>): OpenLog<Line>
  /** What all runners used, as far as this one knows; undefined before it has a ledger. */
  counted(): readonly LedgerLine[] | undefined
  /** The log of all runners, or why it cannot be read. */
  read(): Promise<FleetReading | FleetOutage>
  /** Lets all runners forget what they learned. @returns why it could not be done */
  unlearn(): Promise<FleetOutage | undefined>
  /** Whether a ledger can work there. */
  inspect(): Promise<RedisInspection | FleetOutage>
  /** Tells the others that this runner is done, and ends the connection. */
  close(): Promise<void>
}

export interface OpenLog<Line> {
  readonly log: FleetLog<Line>
  readonly heartbeat: Heartbeat
}

/** @throws TypeError if the URL is none of Redis */
export function openFleet({ url, ca, baseUrl, apiKey, clock }: FleetOptions): OpenFleet {
  const link = openRedisLink({ url, ca, clock, keys: fleetKeys(exactHash(baseUrl, apiKey)) })
  let runner: RunnerLedger | undefined
  return {
    server: shownRedisUrl(url),
    openLedger(account) {
      runner = openRunnerLedger(link, account, parseRedisUrl(url).runners)
      return runner.ledger
    },
    aloneFolder,
    openLog(options) {
      if (runner === undefined) throw new Error('The ledger is not open yet')
      const { heartbeat, runner: name } = runner.fleet
      return { log: openFleetLog({ ...options, link: heartbeat, clock, runner: name }), heartbeat }
    },
    counted: () => runner?.fleet.known().lines,
    read: () => orOutage(readFleet(link, clock)),
    unlearn: async () => await orOutage(unlearnFleet(link, clock).then(() => undefined)),
    inspect: () => orOutage(inspectRedis(link)),
    async close() {
      await runner?.leave()
      link.close()
    },
  }
}

async function orOutage<T>(answer: Promise<T>): Promise<T | FleetOutage> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof FleetProblem)) throw error
    const { message: reason, hint, isPassing } = error
    return { reason, hint, isPassing }
  }
}
