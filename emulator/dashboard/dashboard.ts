import { randomBytes } from 'node:crypto'
import type { JudgedHandler } from '../control/http/control-door.ts'
import { isLooking } from '../http/request/looking.ts'
import type { HttpReply, HttpRequest } from '../http-types.ts'
import { createFormTokens } from '../site/forms/form-tokens.ts'
import { createAccess } from './access.ts'
import { runAction } from './actions.ts'
import { dashboardAssets } from './assets.ts'
import type { Dashboard, DashboardContext } from './context.ts'
import { eventsReply } from './events.ts'
import { dashboardPath, linkTo } from './form.ts'
import { createNotices } from './notices.ts'
import { dashboardPage, messagePage } from './page.ts'
import type { RefusedForm, Section, View } from './section.ts'
import { sections } from './sections.ts'

/**
 * The developer's dashboard, everything below `/_emulator/ui`: a page of seven sections, their forms, their downloads,
 * and one stream of events. It does what the control does and knows no rule of its own.
 */
export function createDashboard(context: DashboardContext): JudgedHandler {
  const dashboard: Dashboard = { ...context, start: randomBytes(9).toString('base64url') }
  const access = createAccess(context.token)
  const tokens = createFormTokens()
  const notices = createNotices()

  const viewOf = (request: HttpRequest, url: URL, refused?: RefusedForm): View => ({
    control: context.control,
    directory: context.directory,
    journal: context.journal,
    query: url.searchParams,
    origin: request.origin,
    formToken: tokens.issue(undefined),
    refused,
    notice: isLooking(request) ? notices.take(url.searchParams.get('notice')) : undefined,
  })

  const get = async (request: HttpRequest, url: URL, { name, part }: DashboardPlace): Promise<HttpReply> => {
    if (name === undefined) return dashboardPage(viewOf(request, url), dashboard)
    if (name === 'events') return eventsReply(viewOf(request, url), request, dashboard)
    const section = sectionOf(name)
    if (section === undefined) return messagePage(404, 'There is no such page', 'The dashboard is one page.')
    const download = part === undefined ? undefined : ownOf(section.downloads, part)
    // The address of a form, or of the page that answered it: the page has everything.
    return download === undefined
      ? seePage(url, section)
      : download(viewOf(request, url), () => context.streams.snapshot(request))
  }

  const post = async (request: HttpRequest, url: URL, { name, part = '' }: DashboardPlace): Promise<HttpReply> => {
    const section = sectionOf(name)
    const action = ownOf(section?.actions, part)
    if (section === undefined || action === undefined) {
      return messagePage(404, 'There is no such form', 'The dashboard has changed since this page was opened.')
    }
    const outcome = await runAction({
      name: `${section.name}/${part}`,
      action,
      request,
      tokens,
      control: context.control,
    })
    if ('reply' in outcome) return outcome.reply
    if ('refused' in outcome) return dashboardPage(viewOf(request, url, outcome.refused), dashboard)
    const { notice, query = {} } = outcome.done
    return seePage(url, section, { ...query, ...(notice && { notice: notices.keep(section.name, notice) }) })
  }

  return async (request, refusal) => {
    const url = new URL(request.url, 'http://localhost')
    const place = placeOf(url.pathname)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const stopped = await access.check(request, refusal, place.name)
    if (stopped !== undefined) return stopped
    if (isRead && place.name === 'assets') {
      return dashboardAssets.reply(place.part ?? '') ?? messagePage(404, 'There is no such file', 'Reload the page.')
    }
    if (isRead) return get(request, url, place)
    if (request.method === 'POST') return post(request, url, place)
    const reply = messagePage(405, 'The dashboard takes GET and POST', 'Use the control API for other calls.')
    return { ...reply, headers: { ...reply.headers, Allow: 'GET, HEAD, POST' } }
  }
}

/** What follows `/_emulator/ui` in a path: `/<name>/<part>`. */
interface DashboardPlace {
  /** Undefined for the page itself. */
  readonly name: string | undefined
  readonly part: string | undefined
}

function placeOf(path: string): DashboardPlace {
  const [, , , name, part] = path.split('/')
  return { name: name === '' ? undefined : name, part }
}

/** A name in an address may be one that every object has. */
function ownOf<Value>(table: Readonly<Record<string, Value>> = {}, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

function sectionOf(name: string | undefined): Section | undefined {
  return sections.find((section) => section.name === name)
}

function seePage(url: URL, section: Section, changes: Readonly<Record<string, string | null>> = {}): HttpReply {
  const link = linkTo({ query: url.searchParams }, changes, section.name)
  return { status: 303, headers: { Location: dashboardPath + link, 'Cache-Control': 'no-store' }, body: '' }
}
