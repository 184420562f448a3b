import { steadyClock, systemClock } from '../clock.ts'
import type { LedgerProblem } from '../pacing/shared-ledger/shared-ledger.ts'
import { parseBaseUrl } from './base-url.ts'
import { createExchange } from './caller.ts'
import { deleteUpload } from './calls/delete-call.ts'
import { sendRaw } from './calls/raw-call.ts'
import { createReadCalls } from './calls/read-calls.ts'
import { createUploadCall } from './calls/upload-call.ts'
import type { ClientEvent } from './events.ts'
import { askElsewhere } from './exactly-once/question.ts'
import { createServiceClock } from './exactly-once/service-clock.ts'
import { createSettle, createSettleLeftOpen } from './exactly-once/settle.ts'
import type { UploadIntent } from './exactly-once/upload-intent.ts'
import { createUploadRegistry } from './exactly-once/upload-registry.ts'
import type { Client, ClientOptions } from './options.ts'
import { createClientPacer } from './pacing.ts'
import { createRedactor } from './redact.ts'
import { undiciTransport } from './transports/undici-transport.ts'

/**
 * Creates a client of one account.
 *
 * @throws TypeError where the base URL or the key cannot be used; RangeError where a retry option is out of range
 */
export function createClient(options: ClientOptions): Client {
  const transport = options.transport ?? undiciTransport()
  const apiKey = checkedKey(options.apiKey)
  const redact = createRedactor(apiKey)
  const clock = options.clock ?? systemClock
  const baseUrl = parseBaseUrl(options.baseUrl, options)
  const retries = checkedCount('retries', options.retry?.retries ?? 5)
  const steady = steadyClock(clock)
  const serviceClock = createServiceClock(steady)
  const registry = createUploadRegistry(() => steady.now())
  const report = (event: ClientEvent) => {
    serviceClock.observe(event)
    options.onEvent?.(event)
  }
  const onProblem = (problem: LedgerProblem) => report({ type: 'ledger-problem', ...problem })
  const pacer = createClientPacer(options.pacing, { baseUrl, apiKey, clock, onProblem })
  const exchange = createExchange({
    baseUrl,
    apiKey,
    transport,
    clock,
    pacer,
    retries,
    maxWaitMs: checkedCount('maxWaitMs', options.retry?.maxWaitMs ?? Number.POSITIVE_INFINITY),
    userAgent: options.userAgent,
    report,
    redact,
  })
  const reads = createReadCalls(exchange)
  const settle = createSettle({ readPage: reads.list, clock, serviceClock, registry })
  const ask = (intent: UploadIntent) => askElsewhere(intent, { clock, steady, serviceClock })
  return {
    ...reads,
    upload: createUploadCall({ exchange, clock: steady, serviceClock, settle, registry, retries, report }),
    settle: createSettleLeftOpen(settle, registry, ask),
    delete: (slug, callOptions) => deleteUpload(exchange, slug, callOptions),
    request: (method, path, requestOptions) => sendRaw(exchange, method.toUpperCase(), path, requestOptions),
    quota: () => pacer.windows(),
    async close() {
      await transport.close?.()
      pacer.close()
    },
  }
}

function checkedKey(apiKey: string | undefined): string {
  if (typeof apiKey !== 'string') throw new TypeError('The API key is missing: is the variable set that it comes from?')
  const key = apiKey.trim()
  if (key === '') throw new TypeError('The API key is empty')
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new TypeError('The API key must not contain spaces, line breaks or non-ASCII characters')
  return key
}

function checkedCount(name: string, value: number): number {
  if (Number.isNaN(value) || value < 0) throw new RangeError(`${name} must be 0 or more, not ${value}`)
  return value
}
