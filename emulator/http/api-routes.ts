import { type EndpointName, endpoints } from '../../src/protocol/endpoints.ts'

/** A path of the service and what can be done there. */
export interface Route {
  /** The endpoint of each method; GET answers HEAD as well. */
  readonly endpoints: ReadonlyMap<string, EndpointName>
  /** The methods in the order in which the framework names them. */
  readonly allowed: readonly string[]
  /** The slug of the path, where the route has one. */
  readonly slug: string
}

interface RoutePattern extends Omit<Route, 'slug'> {
  readonly segments: readonly string[]
}

const slugSegment = '{slug}'

/** Whether a path belongs to the API, known or not. */
export function isApiPath(path: string): boolean {
  return path === '/api' || path.startsWith('/api/')
}

/**
 * Finds the route of a decoded path, as the service's framework does: case counts, and an encoded slash separates like
 * any other.
 */
export function findRoute(routePath: string): Route | undefined {
  const plain = plainRoutes.get(routePath)
  if (plain !== undefined) return plain
  const segments = routePath.split('/')
  const pattern = patterns.find((candidate) => matches(candidate.segments, segments))
  return pattern && { endpoints: pattern.endpoints, allowed: pattern.allowed, slug: segments.at(-1) ?? '' }
}

const patterns = compile()

/** The routes without a slug, by their paths: most requests are to one of them. */
const plainRoutes: ReadonlyMap<string, Route> = new Map(
  patterns
    .filter(({ segments }) => !segments.includes(slugSegment))
    .map(({ segments, endpoints, allowed }) => [
      segments.join('/'),
      { endpoints, allowed, slug: segments.at(-1) ?? '' },
    ]),
)

function compile(): readonly RoutePattern[] {
  const byPath = new Map<string, Map<string, EndpointName>>()
  for (const name of endpointNames()) {
    const { method, path } = endpoints[name]
    const methods = byPath.get(path) ?? new Map<string, EndpointName>()
    methods.set(method, name)
    if (method === 'GET') methods.set('HEAD', name)
    byPath.set(path, methods)
  }
  return [...byPath].map(([path, methods]) => ({
    segments: path.split('/'),
    endpoints: methods,
    allowed: [...methods.keys()],
  }))
}

function endpointNames(): readonly EndpointName[] {
  return ['upload', 'list', 'show', 'delete', 'stats']
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => (part === slugSegment ? segments[index] !== '' : part === segments[index]))
  )
}
