import type { HttpReply } from '../../http-types.ts'
import type { FetchCall } from './fetch-call.ts'

/** As many as browsers and Node follow. */
const mostRedirects = 20

/** Headers that describe a body, which a request without one does not repeat. */
const bodyHeaders = /^content-/

/**
 * The call that follows a redirect (Fetch 4.4); every host is the emulator's.
 * @returns undefined if the reply is for the caller
 * @throws TypeError if the caller takes no redirects, or they have no end
 */
export function afterRedirect(call: FetchCall, { status, headers }: HttpReply, hops: number): FetchCall | undefined {
  const { method, url, redirect } = call
  const location = /^30[12378]$/.test(String(status)) ? headers['Location'] : undefined
  if (location === undefined || redirect === 'manual') return undefined
  if (redirect === 'error') throw failed('unexpected redirect')
  if (hops === mostRedirects) throw failed('redirect count exceeded')
  if (!URL.canParse(location, url.href)) throw failed(`the redirect leads to ${location}, which is no URL`)
  const next = { ...call, url: new URL(location, url) }
  const becomesGet = status === 303 ? !/^(GET|HEAD)$/.test(method) : status < 303 && method === 'POST'
  if (becomesGet) return { ...next, method: 'GET', headers: withoutBody(call), body: undefined }
  if (call.body !== undefined && call.body.length === undefined) throw failed('a stream cannot be sent again')
  return next
}

function withoutBody({ headers }: FetchCall): FetchCall['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !bodyHeaders.test(name)))
}

function failed(reason: string): TypeError {
  return new TypeError('fetch failed', { cause: new Error(reason) })
}
