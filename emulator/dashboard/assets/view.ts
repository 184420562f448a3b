import type { AccountDirectory, WindowInfo } from '../../control/account-control.ts'
import type { ClockInfo } from '../../control/clock-control.ts'
import type { ConnectionInfo, heldBy } from '../../control/control.ts'
import type { EtiquetteFinding } from '../../control/etiquette-report.ts'
import type { FaultTypeListing } from '../../control/fault-control.ts'
import type { NextEvent } from '../../control/next-event.ts'
import type { RequestDetail } from '../../control/request-detail.ts'
import type { RequestTally } from '../../control/request-events.ts'
import type { ArmedFault } from '../../faults/fault-book.ts'
import type { SettingListing } from '../../settings/listing.ts'
import type { Settings } from '../../settings/settings.ts'
import { call } from './api.ts'
import { type Child, draw, part } from './dom.ts'
import { type Times, timesIn } from './shown.ts'

/** What the stream of events brings, by the names of its events. */
export interface Live {
  readonly clock: ClockInfo & { readonly next: NextEvent | null }
  readonly faults: readonly ArmedFault[]
  readonly settings: Settings
  readonly state: ReturnType<typeof heldBy>
  readonly quota: {
    readonly account_id: number
    readonly email: string
    readonly is_own: boolean
    readonly windows: Readonly<Record<string, WindowInfo>>
  } | null
  readonly accounts: ReturnType<AccountDirectory>
  readonly tally: RequestTally
}

/** What is asked for once, or again after a change. */
interface Asked {
  readonly settingTypes: readonly SettingListing[]
  readonly faultTypes: readonly FaultTypeListing[]
  readonly connection: ConnectionInfo
  readonly findings: readonly EtiquetteFinding[]
  /** Of the request that is open; null if the log has it no more. */
  readonly detail: RequestDetail | null
}

/** All that the page knows of the emulator. */
export const known: { -readonly [Name in keyof (Live & Asked)]?: (Live & Asked)[Name] } = {}

export type SectionName = 'requests' | 'quota' | 'clock' | 'faults' | 'accounts' | 'settings' | 'state'

const contents = new Map<SectionName, () => Child>()
const waiting = new Set<SectionName>()

/** @param content of a section; it is drawn again whenever something of it has changed */
export function defineSection(name: SectionName, content: () => Child): void {
  contents.set(name, content)
}

/** Draws sections again, once a frame however much has come. */
export function redraw(...names: readonly SectionName[]): void {
  if (waiting.size === 0) requestAnimationFrame(drawWaiting)
  for (const name of names) waiting.add(name)
}

function drawWaiting(): void {
  const names = [...waiting]
  waiting.clear()
  for (const name of names) {
    const body = part(name).querySelector('.body')
    if (body !== null) draw(body, contents.get(name)?.() ?? '')
  }
}

/** Says in a section what a press did; nothing takes it away. */
export function say(name: SectionName, ...content: readonly Child[]): void {
  const said = part(name).querySelector('.said')
  if (said !== null) draw(said, ...content)
}

/** Writes instants as the service does, in its zone and by its clock. */
export function times(): Times {
  const { settings, clock } = known
  return timesIn(settings?.timezone ?? 'UTC', Date.parse(clock?.now ?? '1970-01-01'))
}

/** The first account's key changes with a new one, a reset and a restore. */
export function askConnection(): void {
  void call<ConnectionInfo>('GET', '/connection').then(
    (connection) => {
      known.connection = connection
      redraw('requests', 'accounts', 'state')
    },
    () => {},
  )
}
