import type { JudgedHandler } from '../control/http/control-door.ts'
import type { PageAccess } from '../control/http/page-access.ts'

/** The dashboard, loaded when it is first asked for. */
export function createLateDashboard(pages: () => Promise<PageAccess>, token: string): JudgedHandler {
  let dashboard: Promise<JudgedHandler> | undefined
  return async (request, refusal) => {
    dashboard ??= import('./dashboard.ts').then(async ({ createDashboard }) => createDashboard(await pages(), token))
    return (await dashboard)(request, refusal)
  }
}
