import { type HttpRequest, headerOf } from '../exchange.ts'
import type { Route } from './api-routes.ts'
import { readMultipart } from './multipart.ts'
import { parseVariables } from './php-variables.ts'
import { receiveText } from './request-body.ts'
import { queryValue, type RequestTarget } from './request-target.ts'

/** Where HTML forms, which only know GET and POST, say which method they mean. */
const overrideHeader = 'x-http-method-override'
const overrideField = '_method'

interface OverrideContext {
  readonly request: HttpRequest
  readonly target: RequestTarget
  readonly route: Route
  readonly body: AsyncIterable<Uint8Array>
}

/** The method a request means: its own, or what a POST names in its place; in upper case, and not always a method. */
export async function meantMethod({ request, target, route, body }: OverrideContext): Promise<string> {
  if (request.method !== 'POST') return request.method
  const named = headerOf(request, overrideHeader) ?? queryValue(target.query, overrideField)
  if (named) return named.toUpperCase()
  // Where POST is welcome the body is a file's, and stays unread.
  const field = route.endpoints.has('POST') ? undefined : await overrideInForm(request, body)
  return (field || request.method).toUpperCase()
}

async function overrideInForm(request: HttpRequest, body: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  const contentType = headerOf(request, 'content-type') ?? ''
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) {
    return queryValue(parseVariables(await receiveText(body, 'latin1')), overrideField) ?? undefined
  }
  if (!/^multipart\/form-data\b/i.test(contentType)) return undefined
  let named: string | undefined
  await readMultipart(contentType, body, {
    field(name, value) {
      if (name === overrideField) named = value
    },
    file: () => undefined,
  })
  return named
}
