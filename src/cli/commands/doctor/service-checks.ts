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
import { describeOrigin, readSetting } from '../../config/settings.ts'
import type { Context } from '../../context/context.ts'
import type { RawAnswer } from '../../output/events.ts'
import { uploadFields } from '../../output/fields.ts'
import { clockVerdict, fail, type Look, ok, skip } from './check.ts'

/**
 * Checks the service with one statistics and one list call: two units, since failures are not retried.
 * @returns the dialect that the answers show, too; null where one is missing
 */
export function createServiceLooks(context: Context) {
  const { settings } = context
  let client: Client
  let stats: Awaited<ReturnType<typeof askOnce>>
  let list: RawAnswer | undefined
  const looks: Readonly<Record<'key' | 'clock' | 'list', Look>> = {
    async key() {
      client = await context.client({ retries: 0, isAlone: await isLedgerUnusable(context) })
      stats = await askOnce(client, '/api/stats', context)
      const { api_key: key, api_key_file: file, key_command: command } = settings()
      const source = key ?? file ?? command
      const { uploads } = Object(stats.answer.body)
      if (typeof uploads !== 'number' && typeof uploads !== 'string') {
        return { ...fail(notTheService('statistics have'), 'Check the base URL'), goesOn: true }
      }
      return ok(
        `accepted${source === undefined ? '' : ` (from ${describeOrigin(source.origin)})`}; uploads: ${uploads}`,
      )
    },
    clock() {
      const date = Date.parse(stats.answer.headers['date'] ?? '')
      if (Number.isNaN(date)) return skip('the service sends no Date header')
      // The header has whole seconds, and was written while the answer was awaited.
      const early = Math.max(stats.sentAt - (date + 1_000), 0)
      return clockVerdict(early > 0 ? early : Math.min(stats.receivedAt - date, 0), "the service's")
    },
    async list() {
      list = (await askOnce(client, '/api/uploads', context)).answer
      const { data, total } = Object(list.body)
      return Array.isArray(data) ? ok(`readable; uploads: ${total}`) : fail(notTheService('list has'))
    },
  }
  const baseUrl = () => readSetting(settings(), 'base_url') ?? ''
  return { looks, dialect: () => (list === undefined ? null : dialectOf(stats.answer, list, baseUrl())) }
}

function notTheService(what: string): UnexpectedResponseError {
  return new UnexpectedResponseError(`The server is not the service: its ${what} no uploads`, {})
}

/** A longer wait for quota is reported instead. */
const LONGEST_WAIT_MS = 15_000

/** Sends one request, and fails where other commands would wait. */
async function askOnce(client: Client, path: string, { clock, interruption }: Context) {
  const stop = new AbortController()
  const sentAt = clock.now()
  const onEvent = (event: ClientEvent) => {
    const reason = longWait(event)
    if (reason !== undefined) stop.abort(reason)
  }
  const signal = anySignal([stop.signal, interruption.stopping])
  const { error, ...answer } = await client.request('GET', path, { signal, onEvent })
  if (error !== undefined) throw error
  return { answer, sentAt, receivedAt: clock.now() }
}

function longWait(event: ClientEvent): Error | undefined {
  if (event.type !== 'wait' || (event.delayMs < LONGEST_WAIT_MS && event.source === 'ledger')) return undefined
  const { window, delayMs: retryAfterMs, source } = event
  if (source === 'unavailable') return new UnavailableError('The API is disabled', { status: 503, retryAfterMs })
  return new RateLimitError(`The ${window === undefined ? '' : `${window} `}quota is used up`, { window, retryAfterMs })
}

/** How the service behaves where its specification leaves a choice, judging by two answers; null if they do not show it. */
export function dialectOf({ headers, body }: RawAnswer, list: Pick<RawAnswer, 'body' | 'text'>, baseUrl: string) {
  const { limit = null, remaining = null } = parseRateReport(headers, 0)
  const page = fieldsOf(list.body)
  const links = arrayOf(page['links']).map(fieldsOf)
  const upload = fieldsOf(arrayOf(page['data'])[0])
  const label = String(links[0]?.['label'])
  const scheme = /^https?:/.exec(String(page['path']))?.[0]
  const createdAt = upload['created_at']
  const totalViews = typeof fieldsOf(body)['total_views']
  return {
    server: headers['server'] ?? null,
    /** Whether slashes in JSON are escaped, as PHP does unless told otherwise. */
    json_style: first({ laravel: list.text.includes('\\/'), plain: list.text.includes('/') }),
    rate_headers: headers['x-ratelimit-remaining'] !== undefined,
    limit,
    remaining,
    reset_format: resetUnit(headers) ?? null,
    total_views_type: first({ integer: totalViews === 'number', string: totalViews === 'string' }),
    link_labels: first({ html_entities: label.includes('&laquo;'), unicode: label.includes('«') }),
    links_page_key: links.length === 0 ? null : links.some((link) => Object.hasOwn(link, 'page')),
    page_url_scheme: first({ same: scheme === new URL(baseUrl).protocol, other: scheme !== undefined }),
    created_at_format: typeof createdAt === 'string' ? createdAtForm(createdAt) : null,
    /** Fields of an upload that the specification does not name. */
    extra_fields: Object.keys(upload).filter((name) => !uploadFields.some((known) => known === name)),
  }
}

/** The first word whose condition holds. */
function first(words: Readonly<Record<string, boolean>>): string | null {
  return Object.keys(words).find((word) => words[word]) ?? null
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {}
}

/** Where the ledger cannot be used, or rests after a loss, the service can be checked all the same. */
async function isLedgerUnusable(context: Context): Promise<boolean> {
  const fleet = await context.fleet()
  if (fleet === undefined) return false
  const [inspection, reading] = [await fleet.inspect(), await fleet.read()]
  return 'reason' in inspection || 'reason' in reading || reading.hasLost
}
