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
import { aBoolean, anything, aText, aWordOf, either, kindBy, someFields } from '../checks/values.ts'
import { kindOf, quoted } from '../checks/words.ts'
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

/** Told by its kind alone: the URL of a Redis server, which people give instead, may contain a password. */
const ledger: OptionCheck = {
  ...either(
    "'memory', 'shared', a ledger, or redisLedger(url) from filehost/redis",
    aWordOf(['memory', 'shared']),
    anObjectWith(['reserve', 'settle', 'windows', 'changed']),
    anObjectWith(['open']),
  ),
  isSecret: true,
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

export const clientWords: OptionWords = {
  takes: 'an object such as { baseUrl, apiKey }',
  required: ['baseUrl'],
  instead: {
    timeout:
      'a transport takes idleTimeoutMs, as in undiciTransport({ idleTimeoutMs }), and a call takes a signal, as in { signal: AbortSignal.timeout(5_000) }',
    fetch: 'give the fetch to use as transport: fetchTransport(fetch)',
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

function isTextOrUrl(value: unknown): boolean {
  return typeof value === 'string' || typeof Object(value).href === 'string'
}

/** @param call whose argument it is @throws TypeError */
export function checkSlug(call: string, slug: unknown): void {
  if (typeof slug === 'string' && !slug.includes('://')) return
  const found =
    typeof slug === 'string' ? `the address ${quoted(slug)}: the slug is the last part of its path` : kindOf(slug)
  throw invalidValue(`${call} takes a slug, but got ${found}`)
}
