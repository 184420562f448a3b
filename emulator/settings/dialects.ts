import { invalidValue, quoted } from '../../src/checks/coded-error.ts'
import type { SettingChanges } from './settings.ts'

export type Dialect = 'spec' | 'laravel' | 'hostile'

/** Sets of settings, each within the spec; a setting that a dialect does not name has its default. */
export const dialects: Readonly<Record<Dialect, SettingChanges>> = {
  /** The plainest reading of the spec. */
  spec: {},
  /** The framework with its default configuration. */
  laravel: {
    link_labels: 'html_entities',
    links_page_key: true,
    wrong_type_message: 'mimetypes',
    errors_as_json: 'accept',
  },
  /** For each setting the value that is hardest for a client. */
  hostile: {
    quota_windows: 'sliding_counter',
    quota_admission: 'charge_first',
    charge_rejected: true,
    rate_headers: 'success',
    remaining_scope: 'tightest',
    reset_format: 'delta_seconds',
    retry_after: 'none',
    unavailable_retry_after: 'http_date',
    unavailable_body: 'html',
    soft_delay: 'fixed',
    check_order: ['key', 'quota', 'suspended', 'address', 'disabled'],
    page_invalid: '422',
    page_beyond_last: '404',
    link_labels: 'html_entities',
    links_page_key: true,
    page_urls_keep_query: true,
    page_url_scheme: 'wrong',
    delete_missing: '204',
    oversize: 'reset',
    wrong_type_message: 'mimetypes',
    not_found_message: 'empty',
    errors_as_json: 'accept',
    thumbnail: 'never',
    title: 'filename',
    timezone: 'Pacific/Chatham',
    created_at_format: 'compact_offset',
    slug_style: 'nanoid21',
    extra_fields: true,
    reencode: true,
    visible_after_ms: 2_000,
    total_views_type: 'string',
  },
}

/** @throws TypeError naming the dialects there are */
export function dialectSettings(dialect: Dialect = 'spec'): SettingChanges {
  if (Object.hasOwn(dialects, dialect)) return dialects[dialect]
  const names = Object.keys(dialects)
  throw invalidValue(`There is no dialect ${quoted(dialect)}; there are ${names.join(', ')}`)
}
