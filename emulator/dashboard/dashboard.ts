import { isForWantOfToken } from '../control/http/access-guard.ts'
import type { JudgedHandler } from '../control/http/control-door.ts'
import { dashboardAssets, dashboardPage, messagePage } from './page.ts'

/**
 * The developer's dashboard, everything below `/_emulator/ui`: one page, whose program does everything over the control
 * API. Where that requires its token, the page asks for it.
 */
export const dashboard: JudgedHandler = async (request, refusal) => {
  const [, , , name = '', part = ''] = new URL(request.url, 'http://localhost').pathname.split('/')
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (refusal !== undefined) {
    const { code, message, hint = '' } = refusal.body.error
    const asksForToken = name === '' && isRead && isForWantOfToken(refusal)
    // The page that refuses, and the form that asks for the token, need their files.
    const isFile = name === 'assets' && code !== 'foreign-origin'
    if (!asksForToken && !isFile) return messagePage(refusal.status, message, hint)
  }
  if (!isRead) {
    const reply = messagePage(405, 'The dashboard is only read', 'The control API changes things.')
    return { ...reply, headers: { ...reply.headers, Allow: 'GET, HEAD' } }
  }
  if (name === '') return dashboardPage(refusal?.status)
  const asset = name === 'assets' ? dashboardAssets.reply(part) : undefined
  return asset ?? messagePage(404, 'There is no such page', 'The dashboard is one page.')
}
