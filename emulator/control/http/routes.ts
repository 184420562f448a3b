import { invalidValue } from '../../../src/checks/coded-error.ts'
import { isObject } from '../../../src/checks/json.ts'
import { MissingRecordError } from '../../service/refusal.ts'
import type { Control } from '../control.ts'
import type { ReportScope } from '../request-control.ts'
import type { RequestPage } from '../request-query.ts'
import { toEventStream } from './event-stream.ts'
import { toJsonStream } from './json-stream.ts'

export interface ControlCall {
  /** The part of the path for `{id}` or `{slug}`. */
  readonly parameter: string
  readonly query: URLSearchParams
  readonly body: unknown
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal | undefined
}

export interface ControlRoute {
  readonly method: string
  /** Below the prefix; one segment may be `{id}` or `{slug}`. */
  readonly path: string
  /** Default: 200. */
  readonly status?: number
  /** Default: 1 MiB. */
  readonly mostBodyBytes?: number
  /** The type of an answer that {@link run} gives in chunks; a HEAD does not begin it. */
  readonly streamed?: 'application/json' | 'text/event-stream'
  /** @returns the body of the answer, to be written as JSON, or chunks */
  run(control: Control, call: ControlCall): unknown
}

/** A snapshot with 128 MiB of files in base64, and over twice that for records. */
const mostStateBytes = 402_653_184

/** The control API: every call of {@link Control}, by method and path. */
export const controlRoutes: readonly ControlRoute[] = [
  route('GET', '/health', (control) => control.health()),
  route('GET', '/connection', (control) => control.connection()),
  route('POST', '/reset', (control) => control.reset()),
  route('GET', '/state', async ({ state }) => toJsonStream(await state.get()), { streamed: 'application/json' }),
  route('PUT', '/state', ({ state }, { body }) => state.restore(fieldsOf(body)), { mostBodyBytes: mostStateBytes }),
  route('GET', '/clock', ({ clock }) => clock.get()),
  route('POST', '/clock', ({ clock }, { body }) => clock.change(fieldsOf(body))),
  route('GET', '/settings', ({ settings }) => settings.get()),
  route('PATCH', '/settings', ({ settings }, { body }) => settings.update(fieldsOf(body))),
  route('GET', '/settings/types', ({ settings }) => settings.types()),
  route('GET', '/accounts', ({ accounts }) => accounts.list()),
  route('POST', '/accounts', ({ accounts }, { body }) => accounts.create(fieldsOf(body ?? {})), { status: 201 }),
  route('GET', '/accounts/{id}', ({ accounts }, call) => accounts.get(idOf('account', call))),
  route('PATCH', '/accounts/{id}', ({ accounts }, call) => accounts.update(idOf('account', call), fieldsOf(call.body))),
  route('DELETE', '/accounts/{id}', ({ accounts }, call) => accounts.delete(idOf('account', call))),
  route('POST', '/accounts/{id}/key', ({ accounts }, call) =>
    accounts.regenerateKey(idOf('account', withoutFields(call))),
  ),
  route('GET', '/accounts/{id}/quota', ({ accounts }, call) => accounts.quota(idOf('account', call))),
  route(
    'POST',
    '/accounts/{id}/uploads',
    ({ accounts }, call) => accounts.addUploads(idOf('account', call), fieldsOf(call.body)),
    { status: 201 },
  ),
  route('PATCH', '/uploads/{slug}', ({ uploads }, { parameter, body }) => uploads.update(parameter, fieldsOf(body))),
  route('GET', '/faults', ({ faults }) => faults.list()),
  route('PUT', '/faults', ({ faults }, { body }) => faults.set(listOf(body))),
  route('POST', '/faults', ({ faults }, { body }) => faults.add(fieldsOf(body)), { status: 201 }),
  route('DELETE', '/faults', ({ faults }) => faults.clear()),
  route('DELETE', '/faults/{id}', ({ faults }, call) => faults.remove(idOf('fault', call))),
  route('GET', '/faults/types', ({ faults }) => faults.types()),
  route('GET', '/requests', ({ requests }, { query }) => requests.list(filterOf(query))),
  route('DELETE', '/requests', ({ requests }, { query }) => requests.clear(filterOf(query))),
  route(
    'GET',
    '/requests/stream',
    ({ requests }, { query, signal }) => toEventStream(requests.stream(filterOf(query), { signal })),
    { streamed: 'text/event-stream' },
  ),
  route('GET', '/requests/{number}', ({ requests }, call) => requests.get(idOf('request', call))),
  route('GET', '/requests.har', ({ requests }, { query }) => toJsonStream(requests.har(filterOf(query))), {
    streamed: 'application/json',
  }),
  route('POST', '/requests/verify', ({ requests }, { body }) => requests.verify(fieldsOf(body))),
  route('GET', '/report', (control, { query }) => control.report(filterOf(query))),
  route('GET', '/openapi.json', (control) => control.openapi()),
]

function route(
  method: string,
  path: string,
  run: ControlRoute['run'],
  options: Pick<ControlRoute, 'status' | 'mostBodyBytes' | 'streamed'> = {},
): ControlRoute {
  return { method, path, run, ...options }
}

/** The call itself checks the fields. */
function fieldsOf<Fields extends object>(body: unknown): Fields {
  if (isObject(body)) return body as Fields
  throw invalidValue('The body has to be a JSON object')
}

function listOf<Item>(body: unknown): readonly Item[] {
  if (Array.isArray(body)) return body
  throw invalidValue('The body has to be a JSON list')
}

/** Refuses fields instead of ignoring them: a wrong password would otherwise seem to be accepted. */
function withoutFields(call: ControlCall): ControlCall {
  if (call.body === undefined || Object.keys(fieldsOf(call.body)).length === 0) return call
  throw invalidValue('A new key takes no fields: the control API does not check passwords')
}

function idOf(record: MissingRecordError['record'], { parameter }: ControlCall): number {
  if (/^\d{1,15}$/.test(parameter)) return Number(parameter)
  throw new MissingRecordError(record, parameter)
}

/** Converts numbers, which are text in a query; the call itself refuses anything else. */
function filterOf(query: URLSearchParams): RequestPage & ReportScope {
  const numeric = new Set(['account_id', 'status', 'fault', 'limit', 'before', 'after'])
  const read = (name: string, text: string) => (numeric.has(name) && /^\d+$/.test(text) ? Number(text) : text)
  return Object.fromEntries(Array.from(query, ([name, text]) => [name, read(name, text)]))
}
