import { type Endpoint, type EndpointName, endpoints } from '../../src/protocol/endpoints.ts'

/** A path of the service with its methods. */
export interface Route {
  /** The endpoint of each method; HEAD has that of GET. */
  readonly endpoints: ReadonlyMap<string, EndpointName>
  /** The methods in the framework's order. */
  readonly allowed: readonly string[]
  /** The slug in the path; the last segment if the route has none. */
  readonly slug: string
}

interface RoutePattern extends Omit<Route, 'slug'> {
  readonly segments: readonly string[]
}

const slugSegment = '{slug}'

/** Whether a path belongs to the API, known or unknown. */
export function isApiPath(path: string): boolean {
  return path === '/api' || path.startsWith('/api/')
}

/**
 * Finds the route of a decoded path as the service's framework does: case matters, and an encoded slash separates like
 * a plain one.
 */
export function findRoute(routePath: string): Route | undefined {
  const plain = plainRoutes.get(routePath)
  if (plain !== undefined) return plain
  const segments = routePath.split('/')
  const pattern = patterns.find((candidate) => matches(candidate.segments, segments))
  return pattern && { endpoints: pattern.endpoints, allowed: pattern.allowed, slug: segments.at(-1) ?? '' }
}

const patterns = compile()

/** Routes without a slug by path; most requests go to one of them. */
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
  for (const [name, { method, path }] of Object.entries(endpoints) as [EndpointName, Endpoint][]) {
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

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => (part === slugSegment ? segments[index] !== '' : part === segments[index]))
  )
}
