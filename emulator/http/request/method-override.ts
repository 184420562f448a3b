import { type HttpRequest, headerOf } from '../../http-types.ts'
import type { Route } from '../api-routes.ts'
import type { WireRefusal } from '../response/refusals.ts'
import { isOfType, readMultipart } from './multipart.ts'
import { PhpArray, parseVariables, readName, setVariable, upperCased } from './php-variables.ts'
import { maxTextBytes, receiveText } from './request-body.ts'
import { queryValue, type RequestTarget } from './request-target.ts'

/** HTML forms can send only GET and POST; these name the method they mean. */
const overrideHeader = 'x-http-method-override'
export const overrideField = '_method'

interface OverrideContext {
  readonly request: HttpRequest
  readonly target: RequestTarget
  readonly route: Route
  readonly body: AsyncIterable<Uint8Array>
}

/** The request's method, or the one that a POST names instead; in upper case, not always a valid method. */
export async function effectiveMethod({ request, target, route, body }: OverrideContext): Promise<string> {
  if (request.method !== 'POST') return request.method
  const named = headerOf(request, overrideHeader) ?? queryValue(target.query, overrideField)
  if (named) return upperCased(named)
  // An upload's form is read with its file, so its `_method` is checked then.
  const field = route.endpoints.has('POST') ? undefined : await overrideInForm(request, body)
  return upperCased(field || request.method)
}

/** The refusal of a method that the route does not have. */
export function methodRefusal(
  method: string,
  { target, route }: Pick<OverrideContext, 'target' | 'route'>,
): WireRefusal {
  if (!/^[A-Z]+$/.test(method)) return { kind: 'bad-method' }
  return { kind: 'method-not-allowed', method, path: target.path, allowed: route.allowed }
}

export function isMethodRefusal({ kind }: WireRefusal): boolean {
  return kind === 'bad-method' || kind === 'method-not-allowed'
}

async function overrideInForm(request: HttpRequest, body: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  const contentType = headerOf(request, 'content-type') ?? ''
  if (isOfType(contentType, 'application/x-www-form-urlencoded')) {
    return queryValue(parseVariables(await receiveText(body, 'latin1')), overrideField) ?? undefined
  }
  if (!isOfType(contentType, 'multipart/form-data')) return undefined
  const texts = new PhpArray()
  await readMultipart(contentType, body, {
    // Of a list only its existence matters, so its texts are dropped.
    textLimit(name) {
      const { variable, keys } = readName(name)
      return variable === overrideField && keys.length === 0 ? maxTextBytes : 0
    },
    text(name, value) {
      if (readName(name).variable === overrideField) setVariable(texts, name, value)
    },
    file: async () => undefined,
  })
  return queryValue(texts, overrideField) ?? undefined
}
