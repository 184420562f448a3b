import { isObject } from '../../../checks/json.ts'
import {
  type Client,
  type ClientEvent,
  RateLimitError,
  UnavailableError,
  UnexpectedResponseError,
} from '../../../index.ts'
import { createdAtForm, parseRateReport, resetUnit } from '../../../internal.ts'
import { anySignal } from '../../../system/signals.ts'
import { describeOrigin } from '../../config/settings.ts'
import type { Context } from '../../context/context.ts'
import { formatDuration } from '../../format/format.ts'
import type { RawAnswer } from '../../output/events.ts'
import { type Check, fail, ok, skip, skipAll, warn } from './check.ts'

/**
 * Checks the service with one statistics and one list call: two units, since failures are not retried.
 * @returns the answers to both calls, too; undefined if one of them failed
 */
export async function checkService(context: Context) {
  try {
    const client = await context.client({ retries: 0 })
    const { answer: stats, sentAt, receivedAt } = await askOnce(client, '/api/stats', context)
    const checks = [keyCheck(stats, context), clockCheck(stats, sentAt, receivedAt)]
    try {
      const { answer: list } = await askOnce(client, '/api/uploads', context)
      return { checks: [...checks, listCheck(list)], answers: { stats, list } }
    } catch (error) {
      return { checks: [...checks, fail('list', error)] }
    }
  } catch (error) {
    return { checks: [fail('key', error), ...skipAll(['clock', 'list'], 'the statistics call failed')] }
  }
}

/** A longer wait for quota is reported instead. */
const LONGEST_WAIT_MS = 15_000

/** Sends one request, and fails where other commands would wait. */
async function askOnce(client: Client, path: string, { clock, interruption }: Context) {
  const stop = new AbortController()
  let reason: Error | undefined
  const sentAt = clock.now()
  const onEvent = (event: ClientEvent) => {
    reason ??= longWait(event)
    if (reason !== undefined) stop.abort()
  }
  const signal = anySignal([stop.signal, interruption.stopping])
  const { error, ...answer } = await client.request('GET', path, { signal, onEvent }).catch((failure: unknown) => {
    throw reason ?? failure
  })
  if (error !== undefined) throw error
  return { answer, sentAt, receivedAt: clock.now() }
}

function longWait(event: ClientEvent): Error | undefined {
  if (event.type !== 'wait' || (event.delayMs < LONGEST_WAIT_MS && event.source === 'ledger')) return undefined
  const { window, delayMs: retryAfterMs, source } = event
  if (source === 'unavailable') return new UnavailableError('The API is disabled', { status: 503, retryAfterMs })
  return new RateLimitError(`The ${window === undefined ? '' : `${window} `}quota is used up`, { window, retryAfterMs })
}

function keyCheck({ body }: RawAnswer, { settings }: Context): Check {
  const { api_key: key, api_key_file: file, key_command: command } = settings()
  const source = key ?? file ?? command
  const origin = source === undefined ? '' : ` (from ${describeOrigin(source.origin)})`
  const { uploads } = Object(body)
  if (typeof uploads !== 'number' && typeof uploads !== 'string') {
    const error = new UnexpectedResponseError('The server is not the service: its statistics have no uploads', {})
    return fail('key', error, 'Check the base URL')
  }
  return ok('key', `accepted${origin}; uploads: ${uploads}`)
}

/** Covers the whole seconds of the Date header and small differences. */
const TOLERATED_SKEW_MS = 5_000

function clockCheck({ headers }: RawAnswer, sentAt: number, receivedAt: number): Check {
  const date = Date.parse(headers['date'] ?? '')
  if (Number.isNaN(date)) return skip('clock', 'the service sends no Date header')
  const early = sentAt - (date + 1_000)
  const late = date - receivedAt
  const skewMs = Math.max(early, late, 0)
  if (skewMs <= TOLERATED_SKEW_MS) return ok('clock', "agrees with the service's clock")
  const message = `This machine's clock is ${formatDuration(skewMs)} ${early > late ? 'ahead of' : 'behind'} the service's`
  return warn('clock', message, 'Set the clock, or enable network time: waits for quota depend on it')
}

function listCheck({ body }: RawAnswer): Check {
  const { data, total } = Object(body)
  if (Array.isArray(data)) return ok('list', `readable; uploads: ${total}`)
  return fail('list', new UnexpectedResponseError('The server is not the service: its list has no uploads', {}))
}

/**
 * How the service behaves where its specification leaves a choice, judging by two answers; null if they do not show it.
 * @param known the fields of an upload in the specification
 */
export function dialectOf(stats: RawAnswer, list: RawAnswer, baseUrl: string, known: readonly string[]) {
  const { headers } = stats
  const rate = parseRateReport(headers, 0)
  const page = fields(list.body)
  const links = Array.isArray(page['links']) ? page['links'].map(fields) : []
  const upload = fields(Array.isArray(page['data']) ? page['data'][0] : undefined)
  const createdAt = upload['created_at']
  return {
    server: headers['server'] ?? null,
    /** Whether slashes in JSON are escaped, as PHP does unless told otherwise. */
    json_style: list.text.includes('\\/') ? 'laravel' : list.text.includes('/') ? 'plain' : null,
    rate_headers: headers['x-ratelimit-remaining'] !== undefined,
    limit: rate.limit ?? null,
    remaining: rate.remaining ?? null,
    reset_format: resetUnit(headers) ?? null,
    total_views_type: numberType(fields(stats.body)['total_views']),
    link_labels: labelStyle(links[0]?.['label']),
    links_page_key: links.length === 0 ? null : links.some((link) => Object.hasOwn(link, 'page')),
    page_url_scheme: schemeOf(page['path'], baseUrl),
    created_at_format: typeof createdAt === 'string' ? createdAtForm(createdAt) : null,
    /** Fields of an upload that the specification does not name. */
    extra_fields: Object.keys(upload).filter((name) => !known.includes(name)),
  }
}

function numberType(value: unknown) {
  if (typeof value === 'number') return 'integer'
  return typeof value === 'string' ? 'string' : null
}

function labelStyle(label: unknown) {
  if (typeof label !== 'string') return null
  if (label.includes('&laquo;')) return 'html_entities'
  return label.includes('«') ? 'unicode' : null
}

function schemeOf(path: unknown, baseUrl: string) {
  if (typeof path !== 'string' || !URL.canParse(path)) return null
  return new URL(path).protocol === new URL(baseUrl).protocol ? 'same' : 'other'
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {}
}
