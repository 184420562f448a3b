import { type Endpoint, type EndpointName, endpoints } from '../../src/protocol/endpoints.ts'
import { type HttpRequest, headerOf } from '../http-types.ts'
import { queryValue, type RequestTarget } from './request/addresses.ts'
import { isOfType, readMultipart } from './request/multipart.ts'
import { PhpArray, parseVariables, readName, setVariable, upperCased } from './request/php-variables.ts'
import { maxTextBytes, receiveText } from './request/request-body.ts'
import type { WireRefusal } from './response/refusals.ts'

/** A path of the service with its methods. */
export interface Route {
  /** The endpoint of each method; HEAD has that of GET. */
  readonly endpoints: ReadonlyMap<string, EndpointName>
  /** The methods in the framework's order. */
  readonly allowed: readonly string[]
  /** The last segment of the path: the slug, if the route has one. */
  readonly slug: string
}

/** Whether a path belongs to the API, known or unknown. */
export function isApiPath(path: string): boolean {
  return path === '/api' || path.startsWith('/api/')
}

/**
 * Finds the route of a decoded path as the service's framework does: case matters, and an encoded slash separates like
 * a plain one.
 */
export function findRoute(routePath: string): Route | undefined {
  const plain = routes.get(routePath)
  if (plain !== undefined) return plain
  const slash = routePath.lastIndexOf('/')
  const slug = routePath.slice(slash + 1)
  const route = slug === '' ? undefined : routes.get(`${routePath.slice(0, slash)}/{slug}`)
  return route && { endpoints: route.endpoints, allowed: route.allowed, slug }
}

/** By the path of the endpoints. */
const routes: ReadonlyMap<string, Route> = new Map(
  Object.values<Endpoint>(endpoints).map(({ path }) => [path, routeOf(path)]),
)

function routeOf(path: string): Route {
  const methods = new Map<string, EndpointName>()
  for (const [name, endpoint] of Object.entries(endpoints) as [EndpointName, Endpoint][]) {
    if (endpoint.path !== path) continue
    methods.set(endpoint.method, name)
    if (endpoint.method === 'GET') methods.set('HEAD', name)
  }
  return { endpoints: methods, allowed: [...methods.keys()], slug: path.slice(path.lastIndexOf('/') + 1) }
}

/** HTML forms can send only GET and POST; these name the method they mean. */
const overrideHeader = 'x-http-method-override'
export const overrideField = '_method'

interface OverrideContext {
  readonly request: HttpRequest
  readonly target: RequestTarget
  readonly route: Route
  readonly body: AsyncIterable<Uint8Array>
}

/** The method that a POST names instead of its own; in upper case, not always a valid method. */
export async function methodOfPost({ request, target, route, body }: OverrideContext): Promise<string> {
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
