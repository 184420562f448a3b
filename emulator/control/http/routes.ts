import type { GivenFault } from '../../faults/fault-parser.ts'
import { MissingRecordError } from '../../service/refusal.ts'
import type { RequestFilter } from '../../service/request-filter.ts'
import type { SettingChanges } from '../../settings/settings.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import { isObject } from '../../values/json-schema.ts'
import type { AccountPatch, NewAccountFields } from '../account-patch.ts'
import type { Control } from '../control.ts'
import type { ReportScope } from '../request-control.ts'
import type { UploadBatch } from '../upload-batch.ts'
import type { UploadPatch } from '../upload-control.ts'
import type { RequestExpectation } from '../verification.ts'
import { moveClock } from './clock-body.ts'

/** A request to a route. */
export interface ControlCall {
  /** The part of the path for `{id}` or `{slug}`. */
  readonly parameter: string
  readonly query: URLSearchParams
  /** The parsed body, if any. */
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
  /** @returns the body of the answer, to be written as JSON, or a stream of events */
  run(control: Control, call: ControlCall): unknown
}

/** A snapshot with 128 MiB of files in base64, and over twice that for records. */
const mostSnapshotTextBytes = 402_653_184

/** The control API: every call of {@link Control}, by method and path. */
export const controlRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: '/health', run: (control) => control.health() },
  { method: 'GET', path: '/connection', run: (control) => control.connection() },
  { method: 'POST', path: '/reset', run: (control) => control.reset() },
  { method: 'GET', path: '/state', run: (control) => control.state.get() },
  {
    method: 'PUT',
    path: '/state',
    mostBodyBytes: mostSnapshotTextBytes,
    run: (control, { body }) => control.state.restore(fieldsOf<Snapshot>(body)),
  },
  { method: 'GET', path: '/clock', run: (control) => control.clock.get() },
  { method: 'POST', path: '/clock', run: (control, { body }) => moveClock(control.clock, fieldsOf(body)) },
  { method: 'GET', path: '/settings', run: (control) => control.settings.get() },
  {
    method: 'PATCH',
    path: '/settings',
    run: (control, { body }) => control.settings.update(fieldsOf<SettingChanges>(body)),
  },
  { method: 'GET', path: '/accounts', run: (control) => control.accounts.list() },
  {
    method: 'POST',
    path: '/accounts',
    status: 201,
    run: (control, { body }) => control.accounts.create(fieldsOf<NewAccountFields>(body ?? {})),
  },
  { method: 'GET', path: '/accounts/{id}', run: (control, call) => control.accounts.get(accountId(call)) },
  {
    method: 'PATCH',
    path: '/accounts/{id}',
    run: (control, call) => control.accounts.update(accountId(call), fieldsOf<AccountPatch>(call.body)),
  },
  { method: 'DELETE', path: '/accounts/{id}', run: (control, call) => control.accounts.delete(accountId(call)) },
  {
    method: 'POST',
    path: '/accounts/{id}/key',
    run: (control, call) => control.accounts.regenerateKey(accountId(withoutFields(call))),
  },
  { method: 'GET', path: '/accounts/{id}/quota', run: (control, call) => control.accounts.quota(accountId(call)) },
  {
    method: 'POST',
    path: '/accounts/{id}/uploads',
    status: 201,
    run: (control, call) => control.accounts.addUploads(accountId(call), fieldsOf<UploadBatch>(call.body)),
  },
  {
    method: 'PATCH',
    path: '/uploads/{slug}',
    run: (control, { parameter, body }) => control.uploads.update(parameter, fieldsOf<UploadPatch>(body)),
  },
  { method: 'GET', path: '/faults', run: (control) => control.faults.list() },
  { method: 'PUT', path: '/faults', run: (control, { body }) => control.faults.set(listOf<GivenFault>(body)) },
  { method: 'DELETE', path: '/faults', run: (control) => control.faults.clear() },
  { method: 'GET', path: '/faults/types', run: (control) => control.faults.types() },
  { method: 'GET', path: '/requests', run: (control, { query }) => control.requests.list(filterOf(query)) },
  { method: 'DELETE', path: '/requests', run: (control, { query }) => control.requests.clear(filterOf(query)) },
  {
    method: 'GET',
    path: '/requests/stream',
    run: (control, { query, signal }) => control.requests.stream(filterOf(query), { signal }),
  },
  {
    method: 'POST',
    path: '/requests/verify',
    run: (control, { body }) => control.requests.verify(fieldsOf<RequestExpectation>(body)),
  },
  { method: 'GET', path: '/report', run: (control, { query }) => control.report(filterOf(query)) },
  { method: 'GET', path: '/openapi.json', run: (control) => control.openapi() },
]

/** The call itself checks the fields. */
function fieldsOf<Fields extends object>(body: unknown): Fields {
  if (isObject(body)) return body as Fields
  throw new TypeError('The body has to be a JSON object')
}

function listOf<Item>(body: unknown): readonly Item[] {
  if (Array.isArray(body)) return body
  throw new TypeError('The body has to be a JSON list')
}

/** Refuses fields instead of ignoring them: a wrong password would otherwise seem to be accepted. */
function withoutFields(call: ControlCall): ControlCall {
  if (call.body === undefined || Object.keys(fieldsOf(call.body)).length === 0) return call
  throw new TypeError('A new key takes no fields: the control API does not check passwords')
}

function accountId({ parameter }: ControlCall): number {
  if (/^\d{1,15}$/.test(parameter)) return Number(parameter)
  throw new MissingRecordError('account', parameter)
}

/** Converts numbers, which are text in a query; the call itself refuses anything else. */
function filterOf(query: URLSearchParams): RequestFilter & ReportScope {
  const numeric = new Set(['account_id', 'status'])
  const parts = [...query].map(([name, value]) => [
    name,
    numeric.has(name) && /^\d+$/.test(value) ? Number(value) : value,
  ])
  return Object.fromEntries(parts)
}
