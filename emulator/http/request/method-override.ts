import { type HttpRequest, headerOf } from '../../http-types.ts'
import type { Route } from '../api-routes.ts'
import { upperCased } from '../ascii.ts'
import { isOfType, readMultipart } from './multipart.ts'
import { PhpArray, parseVariables, readName, setVariable } from './php-variables.ts'
import { longestTextBytes, receiveText } from './request-body.ts'
import { queryValue, type RequestTarget } from './request-target.ts'

/** Where HTML forms, which only know GET and POST, say which method they mean. */
const overrideHeader = 'x-http-method-override'
export const overrideField = '_method'

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
  if (named) return upperCased(named)
  // Where POST is welcome the body is a file's, and what it names is known once the file has been read.
  const field = route.endpoints.has('POST') ? undefined : await overrideInForm(request, body)
  return upperCased(field || request.method)
}

async function overrideInForm(request: HttpRequest, body: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  const contentType = headerOf(request, 'content-type') ?? ''
  if (isOfType(contentType, 'application/x-www-form-urlencoded')) {
    return queryValue(parseVariables(await receiveText(body, 'latin1')), overrideField) ?? undefined
  }
  if (!isOfType(contentType, 'multipart/form-data')) return undefined
  const texts = new PhpArray()
  await readMultipart(contentType, body, {
    // Of texts in a list it matters only that they are there.
    textLimit(name) {
      const { variable, keys } = readName(name)
      return variable === overrideField && keys.length === 0 ? longestTextBytes : 0
    },
    text(name, value) {
      if (readName(name).variable === overrideField) setVariable(texts, name, value)
    },
    file: async () => undefined,
  })
  return queryValue(texts, overrideField) ?? undefined
}
