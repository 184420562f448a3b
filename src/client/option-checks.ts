import { invalidValue } from '../checks/coded-error.ts'
import {
  aFunction,
  aList,
  aSecret,
  aSignal,
  hasMethods,
  numberFrom,
  type OptionCheck,
  type OptionChecks,
  type OptionWords,
  objectWith,
  wholeNumberFrom,
} from '../checks/options.ts'
import { kindOf, quoted } from '../checks/quoted.ts'
import { aBoolean, anything, aText, aWordOf, either, kindBy, someFields } from '../checks/values.ts'
import { limitsCheck } from '../pacing/quota-model/quota-model-options.ts'
import { leastBytesPerSecond } from '../protocol/quantities.ts'
import type {
  CallOptions,
  ClientOptions,
  DownloadOptions,
  ListOptions,
  PacingOptions,
  ReconcileOptions,
  RequestOptions,
  RetryOptions,
  UploadOptions,
} from './options.ts'

/** The options of every public call, in plain JavaScript too. */

const transport = objectWith(['send'], 'a transport, such as fetchTransport() or undiciTransport()')
const clock = objectWith(['now', 'sleep'], 'a clock with now and sleep, such as systemClock')
/** Else every request would fail as if the connection had broken, and be repeated. */
const aHeader = kindBy(
  'a text that fits into a header, without line breaks',
  (found) => typeof found === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(found),
)
const retries = numberFrom(0, 'a number from 0 up')
const maxWaitMs = numberFrom(0, 'milliseconds from 0 up')

const retry: OptionChecks<RetryOptions> = { retries, maxWaitMs }

const ledger: OptionCheck = {
  ...either(
    "'memory', 'shared', a ledger, or redisLedger(url) from filehost/redis",
    aWordOf(['memory', 'shared']),
    anObjectWith(['reserve', 'settle', 'windows', 'changed']),
    anObjectWith(['open']),
  ),
  describe: ledgerMeant,
}

const pacing: OptionChecks<PacingOptions> = {
  limits: limitsCheck,
  ledger,
  folder: aText,
  reserve: numberFrom(0, 'units from 0 up'),
}

export const clientOptions: OptionChecks<ClientOptions> = {
  baseUrl: kindBy('an address such as https://files.example', isTextOrUrl),
  apiKey: aSecret,
  transport,
  clock,
  pacing: either(
    'false, or an object with any of limits, ledger, folder, reserve',
    aWordOf([false]),
    someFields(pacing),
  ),
  retry: someFields(retry),
  userAgent: aHeader,
  onEvent: aFunction,
  allowInsecureHttp: aBoolean,
  uploadBytesPerSecond: numberFrom(leastBytesPerSecond, `bytes per second from ${leastBytesPerSecond} up`),
}

/** With what takes the place here of options that other libraries have. */
export const clientWords: OptionWords = {
  takes: 'an object such as { baseUrl, apiKey }',
  required: ['baseUrl'],
  instead: {
    timeout:
      'a transport takes idleTimeoutMs, as in undiciTransport({ idleTimeoutMs }), and a call takes a signal, as in { signal: AbortSignal.timeout(5_000) }',
    url: 'the address of the service is baseUrl',
    key: 'the key is apiKey',
    token: 'the key is apiKey',
    fetch: 'give the fetch to use as transport: fetchTransport(fetch)',
    proxy: 'a transport takes it, as in undiciTransport({ proxy })',
    bandwidth: 'the rate of uploads is uploadBytesPerSecond',
    headers: 'no further headers are sent; userAgent names your program',
  },
}

export const callOptions: OptionChecks<CallOptions> = { signal: aSignal }
export const reconcileOptions: OptionChecks<ReconcileOptions> = {
  ...callOptions,
  onWaiting: aFunction,
  sources: aList,
  tellApart: aFunction,
}
export const listOptions: OptionChecks<ListOptions> = {
  ...callOptions,
  page: wholeNumberFrom(1, 'a whole number from 1 up'),
}

export const downloadOptions: OptionChecks<DownloadOptions> = {
  ...callOptions,
  force: aBoolean,
  onProgress: aFunction,
}

export const uploadOptions: OptionChecks<UploadOptions> = {
  ...callOptions,
  onProgress: aFunction,
  onBytes: aFunction,
  onState: aFunction,
  onEvent: aFunction,
  onIntent: aFunction,
  maxFileSizeBytes: numberFrom(0, 'bytes from 0 up'),
  anyType: aBoolean,
  knownSlugs: aList,
  tellApart: aFunction,
}

/** With names that belong to the source and not to the options. */
export const uploadWords: OptionWords = {
  instead: {
    name: 'the name belongs to the source: a File, or { stream, name }',
    filename: 'the name belongs to the source: a File, or { stream, name }',
    size: 'the size belongs to the source: { stream, size, name }',
  },
}

export const requestOptions: OptionChecks<RequestOptions> = {
  ...callOptions,
  body: anything,
  contentType: aHeader,
  onEvent: aFunction,
}

/** Not a class, which has the methods on what it makes. */
function anObjectWith(methods: readonly string[]): OptionCheck {
  return kindBy('', (value) => typeof value === 'object' && hasMethods(value, methods))
}

/** What people give for a ledger instead of making one. The URL of a Redis server may contain a password. */
function ledgerMeant(value: unknown): string | undefined {
  if (typeof value === 'string') return /[:@]/.test(value) ? `a URL: ${makeRedisLedger}` : undefined
  if (typeof value === 'function') return `${kindOf(value)}: give what it makes`
  if (hasMethods(value, ['then'])) return 'a promise: await it first'
  if (typeof Object(value).href === 'string') return `a URL: ${makeRedisLedger}`
  if (hasMethods(value, ['sendCommand'])) return 'a Redis client: give redisLedger(client) from filehost/redis'
  return undefined
}

const makeRedisLedger = 'give redisLedger(url) from filehost/redis'

function isTextOrUrl(value: unknown): boolean {
  return typeof value === 'string' || typeof Object(value).href === 'string'
}

/** @param call whose argument it is @throws TypeError */
export function checkSlug(call: string, slug: unknown): void {
  if (typeof slug === 'string' && !slug.includes('://')) return
  const found = typeof slug === 'string' ? `the address ${quoted(slug)}` : kindOf(slug)
  throw invalidValue(`${call} takes a slug, but got ${found}${adviceFor(slug)}`)
}

function adviceFor(slug: unknown): string {
  if (Array.isArray(slug)) return ': call it once for each slug'
  if (typeof slug === 'string') return ': the slug is the last part of its path'
  return typeof Object(slug).slug === 'string' ? ': pass its slug' : ''
}
