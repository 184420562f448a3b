import type { HttpHandler } from '../http-types.ts'
import type { DashboardContext } from './context.ts'

/** Whether a URL, as sent, is of the dashboard and not of the control API around it. */
export function isDashboardUrl(url: string): boolean {
  return /^\/_emulator\/ui(?:[/?#]|$)/.test(url)
}

/** The dashboard, loaded when it is first asked for. */
export function createLateDashboard(context: DashboardContext): HttpHandler {
  let dashboard: Promise<HttpHandler> | undefined
  return async (request) => {
    dashboard ??= import('./dashboard.ts').then(({ createDashboard }) => createDashboard(context))
    return (await dashboard)(request)
  }
}
