import type { JudgedHandler } from '../control/http/control-door.ts'
import type { DashboardContext } from './context.ts'

/** The dashboard, loaded when it is first asked for. */
export function createLateDashboard(context: DashboardContext): JudgedHandler {
  let dashboard: Promise<JudgedHandler> | undefined
  return async (request, refusal) => {
    dashboard ??= import('./dashboard.ts').then(({ createDashboard }) => createDashboard(context))
    return (await dashboard)(request, refusal)
  }
}
