import type { AccountDirectory } from '../control/account-directory.ts'
import type { Control } from '../control/control.ts'
import type { Streams } from '../control/http/streams.ts'
import type { RequestJournal } from '../control/request-journal.ts'

export interface DashboardContext {
  readonly control: Control
  readonly directory: AccountDirectory
  readonly journal: RequestJournal
  /** The control token. */
  readonly token: string
  readonly streams: Streams
}

/** What every answer of one dashboard shares. */
export interface Dashboard extends DashboardContext {
  /** Names this run of the emulator: pages of an earlier one reload. */
  readonly start: string
}
