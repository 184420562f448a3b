import { isObject } from '../../../checks/json.ts'
import { createdAtForm, parseRateReport, resetUnit } from '../../../internal.ts'
import type { RawAnswer } from '../../output/events.ts'

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
    json_style: jsonStyle(list.text),
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

function jsonStyle(text: string) {
  if (text.includes('\\/')) return 'laravel'
  return text.includes('/') ? 'plain' : null
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
