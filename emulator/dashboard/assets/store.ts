import type { ConnectionInfo } from '../../control/control.ts'
import type { EtiquetteFinding } from '../../control/etiquette-report.ts'
import type { FaultTypeListing } from '../../control/fault-control.ts'
import type { LiveParts } from '../../control/http/live-events.ts'
import type { RequestDetail } from '../../control/request-detail.ts'
import type { RequestTally } from '../../control/request-events.ts'
import type { SettingListing } from '../../settings/listing.ts'
import { type LogState, logState } from './log-state.ts'
import { type Times, timesIn } from './shown.ts'
import { type View, view } from './view.ts'

/** What the stream brings, by the names of its events. */
export type Live = LiveParts & { readonly tally: RequestTally }

/** All that the page shows; what is typed and folded is in the page itself. */
export interface PageState extends Partial<Live> {
  readonly log: LogState
  /** The row that had the focus last. */
  readonly focused?: number
  /** The request that is open; null if the log has it no more, a text if nothing answered. */
  readonly detail?: RequestDetail | string | null | undefined
  readonly settingTypes?: readonly SettingListing[]
  readonly faultTypes?: readonly FaultTypeListing[]
  readonly connection?: ConnectionInfo
  /** The sums of the etiquette report. */
  readonly findings?: readonly EtiquetteFinding[]
  /** What a press did, by section. */
  readonly said: Readonly<Partial<Record<SectionName, View>>>
}

export type SectionName = 'requests' | 'quota' | 'clock' | 'faults' | 'accounts' | 'settings' | 'state'

export let state: PageState = { log: logState(0), said: {} }

let draw = () => {}
let isDue = false

/** @param drawing called once a frame, however much has changed */
export function onChange(drawing: () => void): void {
  draw = drawing
}

export function change(changes: Partial<PageState> = {}): void {
  state = { ...state, ...changes }
  if (isDue) return
  isDue = true
  requestAnimationFrame(() => {
    try {
      draw()
    } finally {
      isDue = false
    }
  })
}

/** Says in a section what a press did, or why it did nothing; nothing takes it away but the next. */
export function say(section: SectionName, content?: View, tone: 'good' | 'bad' = 'good'): void {
  const role = tone === 'bad' && 'alert'
  const notice = content && view`<div class=${`notice ${tone}`} role=${role}>${content}</div>`
  change({ said: { ...state.said, [section]: notice } })
}

/** Writes instants as the service does, in its zone and by its clock. */
export function times({ settings, clock }: PageState): Times {
  return timesIn(settings?.timezone ?? 'UTC', Date.parse(clock?.now ?? '1970-01-01'))
}
