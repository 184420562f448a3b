import { type Endpoint, type EndpointName, endpoints } from '../../src/protocol/endpoints.ts'

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
  return route && { ...route, slug }
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
