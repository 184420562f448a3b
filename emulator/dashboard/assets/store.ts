import { render } from 'lit-html'
import type { WindowName } from '../../../src/protocol/rate-limits.ts'
import type { AccountInfo, WindowInfo } from '../../control/account-control.ts'
import type { ClockInfo } from '../../control/clock-control.ts'
import type { ConnectionInfo, HealthInfo } from '../../control/control.ts'
import type { EtiquetteFinding } from '../../control/etiquette-report.ts'
import type { FaultTypeListing } from '../../control/fault-control.ts'
import type { RequestDetail } from '../../control/request-detail.ts'
import type { ArmedFault } from '../../faults/fault-book.ts'
import type { SettingListing } from '../../settings/listing.ts'
import type { Settings } from '../../settings/settings.ts'
import { emptyLog, type LogState } from './log.ts'
import { type View, view } from './view.ts'

/** What the page asks for again and again. */
export interface Parts {
  readonly state: Omit<HealthInfo, 'clock'>
  readonly clock: ClockInfo
  readonly faults: readonly ArmedFault[]
  readonly settings: Settings
  readonly connection: ConnectionInfo
  readonly accounts: readonly AccountInfo[]
  /** The account whose quota is shown, and its windows; undefined if there is none. */
  readonly account: AccountInfo | undefined
  readonly windows: Readonly<Record<WindowName, WindowInfo>> | undefined
}

/** All that the page shows; what is typed and folded is in the page itself. */
export interface PageState extends Partial<Parts> {
  readonly log: LogState
  /** The row that had the focus last. */
  readonly focused?: number
  /** The request that is open; a text if it cannot be shown. */
  readonly detail?: RequestDetail | string | undefined
  readonly settingTypes?: readonly SettingListing[]
  readonly faultTypes?: readonly FaultTypeListing[]
  /** The sums of the etiquette report. */
  readonly findings?: readonly EtiquetteFinding[]
  /** What a press did, by section. */
  readonly said: Readonly<Record<string, View>>
  /** What is wrong in a form, by its name. */
  readonly problems: Readonly<Record<string, Problem>>
  /** The query of the page’s address. */
  readonly query: string
}

export interface Problem {
  /** Above the form, if no field has it. */
  readonly message?: string
  readonly byField: ReadonlyMap<string, string>
}

export let state: PageState = { log: emptyLog, said: {}, problems: {}, query: location.search }

type Drawing = () => void
let draw: readonly Drawing[] = []
let isDue = false

/** @param drawings each called once a frame, however much has changed */
export function onChange(drawings: readonly Drawing[]): void {
  draw = drawings
}

export function change(changes: Partial<PageState> = {}): void {
  state = { ...state, ...changes }
  if (isDue) return
  isDue = true
  requestAnimationFrame(() => {
    isDue = false
    for (const each of draw) each()
  })
}

/** A part of the page, which is drawn again if something is different that it read when it was drawn. */
export function drawing(place: HTMLElement, show: (state: PageState) => View): Drawing {
  let read: Map<keyof PageState, unknown> | undefined
  const get = (all: PageState, name: keyof PageState) => {
    read?.set(name, all[name])
    return all[name]
  }
  return () => {
    if (read !== undefined && [...read].every(([name, value]) => state[name] === value)) return
    // Links and forms read these two wherever they are.
    read = new Map(Object.entries({ query: state.query, problems: state.problems }) as never)
    render(show(new Proxy(state, { get }) as PageState), place)
  }
}

/** Says in a section what a press did, or why it did nothing; nothing takes it away but the next. */
export function say(section: string, content?: View, tone: 'good' | 'bad' = 'good'): void {
  const role = tone === 'bad' && 'alert'
  const notice = content && view`<div class=${`notice ${tone}`} role=${role}>${content}</div>`
  change({ said: { ...state.said, [section]: notice } })
}

/** Says what is wrong in a form; nothing without a problem. */
export function showProblem(form: string, problem: Problem = { byField: new Map() }): void {
  change({ problems: { ...state.problems, [form]: problem } })
}
