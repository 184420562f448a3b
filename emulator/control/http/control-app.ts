import { isTooDeep, parseNamedJson } from '../../../src/checks/json.ts'
import { mostLevels } from '../../faults/fault-parser.ts'
import { type HttpRequest, type HttpResponse, RequestAbortedError, receiveWhole } from '../../http.ts'
import type { Control } from '../control.ts'
import type { JudgedHandler } from './control-door.ts'
import { type ControlError, controlError, toControlError } from './errors.ts'
import { type ControlRoute, controlRoutes } from './routes.ts'

const controlPrefix = '/_emulator'

/** Whether a path, as sent, belongs to the control API. */
export function isControlPath(path: string): boolean {
  return path === controlPrefix || path.startsWith(`${controlPrefix}/`)
}

/** The HTTP side of {@link Control}. Its requests are neither logged nor charged. */
export function createControlApp(control: Control): JudgedHandler {
  const answer = async (request: HttpRequest): Promise<ControlError | ControlAnswer> => {
    const url = new URL(request.url, 'http://localhost')
    const segments = segmentsBelow(url.pathname)
    const candidates = controlRoutes.filter((route) => matches(route, segments))
    if (candidates.length === 0) return controlError(404, 'no-such-call', `There is no ${url.pathname}`, knownPaths)
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const route = candidates.find((candidate) => candidate.method === method)
    if (route === undefined) return wrongMethod(request.method, url.pathname, candidates)

    const body = await readJson(request, route.mostBodyBytes ?? usualBodyBytes)
    if ('status' in body) return body
    const parameter = parameterOf(route, segments)
    const call = { parameter, query: url.searchParams, body: body.value, signal: request.clientGone?.() }
    const isUnread = route.streamed !== undefined && request.method === 'HEAD'
    const answered = isUnread ? nothing : await route.run(control, call)
    const { status = 200, streamed } = route
    return { status, body: answered, ...(streamed && { headers: { 'Content-Type': streamed } }) }
  }

  return (request, refusal) => {
    const answered = refusal === undefined ? answer(request) : Promise.resolve(refusal)
    return answered.then(toReply).catch((error: unknown) => {
      if (error instanceof RequestAbortedError) throw error
      return toReply(toControlError(error))
    })
  }
}

const nothing: AsyncIterable<Uint8Array> = { async *[Symbol.asyncIterator]() {} }

interface ControlAnswer {
  readonly status: number
  readonly body: unknown
  readonly headers?: HttpResponse['headers']
}

function toReply({ status, body, headers = {} }: ControlAnswer): HttpResponse {
  const authenticate = status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}
  const type = { 'Content-Type': 'application/json', 'X-Content-Type-Options': 'nosniff' }
  const isStreamed = typeof body === 'object' && body !== null && Symbol.asyncIterator in body
  const sent = isStreamed ? (body as AsyncIterable<Uint8Array>) : JSON.stringify(body)
  return { status, headers: { ...type, ...authenticate, ...headers }, body: sent }
}

const knownPaths = `There are ${[...new Set(controlRoutes.map(({ path }) => controlPrefix + path))].join(', ')}`

function wrongMethod(method: string, path: string, candidates: readonly ControlRoute[]): ControlAnswer {
  const allowed = candidates.map((route) => route.method).join(', ')
  const message = `${path} does not take ${method}; it takes ${allowed}`
  return { ...controlError(405, 'method-not-allowed', message), headers: { Allow: allowed } }
}

/** No segments for a path that leaves the prefix by `..`. */
function segmentsBelow(path: string): readonly string[] {
  return isControlPath(path) ? path.slice(controlPrefix.length).replace(/\/$/, '').split('/') : []
}

function matches({ path }: ControlRoute, segments: readonly string[]): boolean {
  const pattern = path.split('/')
  return pattern.length === segments.length && pattern.every((part, at) => isParameter(part) || part === segments[at])
}

function parameterOf({ path }: ControlRoute, segments: readonly string[]): string {
  const segment = segments[path.split('/').findIndex(isParameter)] ?? ''
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function isParameter(part: string): boolean {
  return part.startsWith('{')
}

const usualBodyBytes = 1_048_576

/** A fault's body may have {@link mostLevels} and is itself some levels deep in a snapshot. */
const mostBodyLevels = mostLevels + 20

const tooDeep = `The body nests lists and objects more than ${mostBodyLevels} levels deep: send a flatter one`

/** Ignores the Content-Type: the access guard has already refused web pages and their forms. */
async function readJson(request: HttpRequest, mostBytes: number): Promise<ControlError | { readonly value: unknown }> {
  const tooLarge = controlError(413, 'body-too-large', `The body is larger than ${mostBytes} bytes`)
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) return tooLarge
  const text = (await receiveWhole(request, mostBytes))?.toString()
  if (text === undefined) return tooLarge
  if (text.trim() === '') return { value: undefined }
  // Answers and snapshots repeat the values, and V8 parses deeper JSON than it can write.
  if (isTooDeep(text, mostBodyLevels)) return controlError(400, 'invalid-json', tooDeep)
  try {
    return { value: parseNamedJson(text) }
  } catch (error) {
    return controlError(400, 'invalid-json', `The body is not JSON: ${error instanceof Error ? error.message : error}`)
  }
}
