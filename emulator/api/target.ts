import { isIP } from 'node:net'
import { TextDecoder } from 'node:util'
import {
  type Endpoint,
  type EndpointName,
  endpoints,
  keyHeader,
  keyQueryParameter,
  uploadField,
} from '../../src/protocol/endpoints.ts'
import type { FaultAction } from '../faults/fault.ts'
import { BodyTooLargeError, type HttpRequest, type HttpResponse, noBody } from '../http.ts'
import { type Form, type PhpArray, parseVariables, readForm } from '../php/form.ts'
import { emptyBody, type KeptBody, keepPiece, keptWhole, loggedHeaders } from '../service/exchanges.ts'
import type { QuotaVerdict } from '../service/quota/quota.ts'
import type { FileIntake, MeasuredFile, ReceivedFile, Uploads } from '../service/uploads.ts'
import type { Settings } from '../settings/settings.ts'
import { type AccountRecord, clientClosedRequest, type NewRequest } from '../storage/record-types.ts'
import { plainAddress } from '../values/ip-allowlist.ts'

/** A request's URL, parsed as the service's framework parses it. */
export interface RequestTarget {
  /** As sent, without query and fragment. */
  readonly path: string
  /** The percent-decoded path; undefined if it is not valid UTF-8. */
  readonly decodedPath: string | undefined
  /** The decoded path without trailing slashes, for matching routes; an encoded slash is kept. */
  readonly routePath: string | undefined
  readonly query: PhpArray
  readonly sentQuery: string
}

/** @param url path and query, or an absolute URL as sent to proxies */
export function parseTarget(url: string): RequestTarget {
  const [sent = ''] = url.split('#', 1)
  const local = sent.startsWith('/') ? sent : sent.replace(/^[a-z]+:\/\/[^/?]*/i, '')
  const question = local.indexOf('?')
  const path = question === -1 ? local : local.slice(0, question)
  const decodedPath = decodePath(path)
  const sentQuery = question === -1 ? '' : local.slice(question + 1)
  return {
    path,
    decodedPath,
    routePath: path.endsWith('/') ? decodePath(withoutEndSlashes(path)) : decodedPath,
    query: parseVariables(sentQuery),
    sentQuery,
  }
}

/** Removes trailing slashes; a path of slashes alone becomes `/`. */
export function withoutEndSlashes(path: string): string {
  let end = path.length
  while (end > 1 && path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Unlike `decodeURIComponent`, keeps a `%` that escapes nothing. */
function decodePath(path: string): string | undefined {
  if (!/[%\u0080-\uffff]/.test(path)) return path
  const bytes = path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  try {
    return utf8.decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return undefined
  }
}

/**
 * Whether the host has only characters of names and addresses. The framework rejects other hosts, since its links would
 * repeat them.
 */
export function hasPlainHost({ origin }: Pick<HttpRequest, 'origin'>): boolean {
  const host = origin.slice(origin.indexOf('://') + 3)
  return host.replace(/(?:^\[)?[\w:\]-]+\.?/g, '') === ''
}

/**
 * The client's address (spec 5.5): the other end of the connection or, if that is trusted as a proxy, the last valid
 * address it names.
 */
export function clientAddress({ clientIp, headers }: HttpRequest, { trust_forwarded_for }: Settings): string {
  if (!trust_forwarded_for) return clientIp
  const named = (headers['x-forwarded-for'] ?? '').split(',').map((entry) => withoutPort(entry.trim()))
  return plainAddress(named.findLast((entry) => isIP(entry) !== 0) ?? clientIp)
}

function withoutPort(entry: string): string {
  const [, bracketed] = /^\[(.*)\](?::\d+)?$/.exec(entry) ?? []
  return bracketed ?? (/^[\d.]+:\d+$/.test(entry) ? entry.slice(0, entry.indexOf(':')) : entry)
}

/** A path of the service with its methods. */
export interface Route {
  /** The endpoint of each method, in the framework's order; HEAD has that of GET. */
  readonly endpoints: ReadonlyMap<string, EndpointName>
  /** The last segment of the path: the slug, if the route has one. */
  readonly slug: string
}

/** Whether a path belongs to the API, known or unknown. */
export function isForApi({ decodedPath, path }: RequestTarget): boolean {
  const decoded = decodedPath ?? path
  return decoded === '/api' || decoded.startsWith('/api/')
}

/**
 * Finds the route of a target as the service's framework does: case matters, and an encoded slash separates like a plain
 * one.
 */
export function findRoute({ routePath = '' }: Pick<RequestTarget, 'routePath'>): Route | undefined {
  const slash = routePath.lastIndexOf('/')
  const slug = routePath.slice(slash + 1)
  const known = routes.get(routePath) ?? (slug === '' ? undefined : routes.get(`${routePath.slice(0, slash)}/{slug}`))
  return known && { endpoints: known, slug }
}

/** The endpoints of each path. */
const routes = new Map<string, Map<string, EndpointName>>()
for (const [name, { path, method }] of Object.entries(endpoints) as [EndpointName, Endpoint][]) {
  const methods = routes.get(path) ?? new Map<string, EndpointName>()
  routes.set(path, methods.set(method, name))
  if (method === 'GET') methods.set('HEAD', name)
}

/** Longer texts are cut, so that one client cannot push other requests out of the log. */
const [maxMethodLength, maxPathLength, maxAddressLength, maxNameLength] = [32, 2_048, 64, 1_024]

/** How much larger than its file a form may be, and, generously, a form with no other field is, in bytes. */
const [formAllowanceBytes, formOverheadBytes] = [10 * 1_048_576, 65_536]

/** How large a body's declared and its received length may be, in bytes. */
export function bodyLimits({ max_file_size, oversize }: Settings) {
  // `reset` breaks the connection inside the file, so a declared length is not refused.
  if (oversize === 'reset') return { declared: Number.POSITIVE_INFINITY, received: max_file_size + formOverheadBytes }
  return { declared: max_file_size + formAllowanceBytes, received: max_file_size + formAllowanceBytes }
}

/** The body's declared length in bytes; 0 if none is declared. */
export function declaredLength({ headers }: HttpRequest): number {
  return Number(headers['content-length'] ?? 0) || 0
}

/**
 * The body in chunks.
 * @param tap gets each of them first
 * @throws RequestAbortedError, BodyTooLargeError
 */
export async function* receiveBody({ body }: HttpRequest, maxBytes: number, tap?: (chunk: Uint8Array) => void) {
  let left = maxBytes
  for await (const chunk of body) {
    left -= chunk.length
    tap?.(chunk)
    if (left < 0) throw new BodyTooLargeError(`The body is larger than ${maxBytes} bytes`)
    yield chunk
  }
}

/** Takes the files of a form. */
type FormFiles = Pick<Uploads, 'receive' | 'discard'>

/** An API request on its way through the checks, each of which adds what it learns. */
export class Call {
  readonly request: HttpRequest
  readonly target: RequestTarget
  /** Undefined if the path is not the service's. */
  readonly route: Route | undefined
  readonly body: AsyncIterable<Uint8Array>
  /** Whether the declared length exceeds that of any upload. */
  readonly isTooLarge: boolean
  /** The key the request carries; undefined if there is none that could be a key. */
  readonly key: string | undefined
  /** The record of the log. */
  readonly entry: { -readonly [Field in keyof NewRequest]: NewRequest[Field] }
  /** The beginning of its body; undefined for a method that has none. */
  readonly received: KeptBody | undefined
  /** The beginning of the response's body. */
  sent: KeptBody | undefined = undefined
  /** The account of the key; null if no account has it, undefined before the lookup. */
  account: AccountRecord | null | undefined = undefined
  /** The quota's decision; undefined before the quota check. */
  verdict: QuotaVerdict | undefined = undefined
  /** Whether the request passed every check, so that an endpoint serves it. */
  isServed = false
  /** The fault that hit the request; undefined if none did. */
  fault: FaultAction | undefined = undefined

  /** @param at time of arrival, in epoch milliseconds */
  constructor(request: HttpRequest, target: RequestTarget, settings: Settings, at: number) {
    const limits = bodyLimits(settings)
    const { key, keyIn } = presentedKey(request, target, settings)
    this.request = request
    this.target = target
    this.route = findRoute(target)
    this.key = key
    this.entry = {
      method: loggedMethod(request.method),
      endpoint: cut(target.path, maxPathLength),
      status: clientClosedRequest,
      clientIp: cut(clientAddress(request, settings), maxAddressLength),
      at,
      cost: 0,
      accountId: null,
      keyIn,
      headers: loggedHeaders(request.headers, key),
    }
    const received = request.method === 'GET' || request.method === 'HEAD' ? undefined : emptyBody()
    const tap = received && ((chunk: Uint8Array) => keepPiece(received, chunk))
    this.received = received
    this.body = request.body === noBody ? noBody : receiveBody(request, limits.received, tap)
    this.isTooLarge = declaredLength(request) > limits.declared
  }

  /** The endpoint that the request means, however its path was written. */
  get endpoint(): EndpointName | undefined {
    return this.route?.endpoints.get(this.entry.method)
  }

  /** Reads the form of an upload and notes its file in the log, even if the form breaks off inside it. */
  async receive(files: FormFiles, body = this.body): Promise<Form<ReceivedFile>> {
    // Of several files the last counts.
    const received: { last?: FileIntake } = {}
    const receive = (name: string) => {
      received.last = files.receive(name)
      return received.last
    }
    const contentType = this.request.headers['content-type'] ?? ''
    const sent = { contentType, body, query: this.target.query }
    try {
      return await readForm(uploadField, sent, { receive, discard: (file) => files.discard(file) })
    } finally {
      if (received.last !== undefined) this.entry.file = loggedFile(received.last.received())
    }
  }

  /** Keeps the beginning of the response, as it is before a fault cuts it or slows it down. */
  keep({ body }: HttpResponse): void {
    if (typeof body === 'string') this.sent = keptWhole(body)
  }
}

/** The header comes first; even an empty one hides the query unless a setting says otherwise (spec 5.2, 5.3). */
function presentedKey({ headers }: HttpRequest, { query }: RequestTarget, { empty_header_key }: Settings) {
  const header = headers[keyHeader.toLowerCase()]
  const isAbsent = header === undefined || (header === '' && empty_header_key === 'falls_back')
  if (!isAbsent) return { key: header, keyIn: 'header' } as const
  const parameter = query.text(keyQueryParameter)
  return { key: parameter ?? undefined, keyIn: parameter === undefined ? 'none' : 'query' } as const
}

export function loggedMethod(method: string): string {
  return cut(method, maxMethodLength)
}

export function loggedFile({ name, sizeBytes, sha256 }: MeasuredFile) {
  return { name: cut(name, maxNameLength), size: sizeBytes, sha256 }
}

/** What the log keeps of a refusal with words of its own. @param words null: the service's usual ones */
export function loggedRefusal(kind: string, words: string | null | undefined) {
  return words == null ? { kind } : { kind, words: cut(words, maxNameLength) }
}

/** The ellipsis marks a cut text. In JSON a letter may take six bytes. */
function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}
