import type { JudgedHandler } from '../control/http/control-door.ts'
import type { PageAccess } from '../control/http/page-access.ts'
import { createAccess } from './access.ts'
import { dashboardAssets, dashboardPage, messagePage } from './page.ts'

/**
 * The developer's dashboard, everything below `/_emulator/ui`: one page, whose program does everything over the control
 * API, and the form that asks for the control token.
 */
export function createDashboard(pages: PageAccess, token: string): JudgedHandler {
  const access = createAccess(pages, token)
  return async (request, refusal) => {
    const [, , , name, part = ''] = new URL(request.url, 'http://localhost').pathname.split('/')
    const stopped = await access.check(request, refusal, name === '' ? undefined : name)
    if (stopped !== undefined) return stopped
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const reply = messagePage(405, 'The dashboard is only read', 'The control API changes things.')
      return { ...reply, headers: { ...reply.headers, Allow: 'GET, HEAD' } }
    }
    if (name === undefined || name === '') return dashboardPage(pages.writeProof(request))
    const asset = name === 'assets' ? dashboardAssets.reply(part) : undefined
    return asset ?? messagePage(404, 'There is no such page', 'The dashboard is one page.')
  }
}
