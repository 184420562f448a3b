import type { PageAccess } from '../control/http/page-access.ts'

/** What stands for the control token, and the token. */
export interface DashboardContext {
  readonly pages: PageAccess
  readonly token: string
}
