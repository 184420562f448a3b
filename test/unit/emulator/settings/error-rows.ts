import type { Emulator } from '../../../../emulator/index.ts'
import { jpegBytes } from '../../../helpers/media.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'
import { json, send } from '../emulated.ts'
import { emptyUpload, missing, rows, seen, stats } from './wire-row.ts'

const disabled = { settings: { api_enabled: false } }

const form = async (response: Promise<Response>) => {
  const { status, headers } = await response
  return [status, headers.get('Content-Type'), headers.get('Location')]
}

const oversizedUpload = (emulator: Emulator) =>
  send(emulator, 'POST', '/api/upload', fileForm(jpegBytes(2_000))).then(
    async (response) => [response.status, response.headers.get('Content-Type'), (await response.text()).slice(0, 30)],
    ({ cause }) => cause.code,
  )

const html = 'text/html; charset=utf-8'

const preflight = {
  Origin: 'https://page.example',
  'Access-Control-Request-Method': 'GET',
  'Access-Control-Request-Headers': 'x-api-key',
}

/** What a browser is told by a preflight, by a success and by each kind of failure, as origins, headers allowed and headers shown. */
async function toldToPages(emulator: Emulator) {
  const told: unknown[] = []
  const ask = async (answer: Promise<Response>) => {
    const { status, headers } = await answer
    told.push([
      status,
      ...['Origin', 'Headers'].map((name) => headers.get(`Access-Control-Allow-${name}`)),
      exposed(headers),
    ])
  }
  await ask(send(emulator, 'OPTIONS', '/api/stats', { headers: preflight }))
  await ask(stats(emulator)())
  await ask(send(emulator, 'GET', '/api/stats', { headers: { 'X-Api-Key': 'wrong' } }))
  await ask(missing(emulator)())
  emulator.control.faults.set([{ match: { path: '/api/stats' }, times: 1, action: { type: 'status', status: 503 } }])
  await ask(stats(emulator)())
  emulator.control.accounts.update(1, { quotas: { burst: 0 } })
  await ask(stats(emulator)())
  return told
}

const exposed = (headers: Headers) => headers.get('Access-Control-Expose-Headers')
const allRateHeaders = 'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-RateLimit-Cost, Retry-After'
const failures = [200, 401, 404, 503, 429]

export const errorRows = [
  ...rows('cors', {
    observe: toldToPages,
    sees: [
      ['open', [[204, '*', 'x-api-key', null], ...failures.map((status) => [status, '*', null, null])]],
      [
        'expose',
        [[204, '*', 'x-api-key', allRateHeaders], ...failures.map((status) => [status, '*', null, allRateHeaders])],
      ],
      ['off', [200, ...failures].map((status) => [status, null, null, null])],
    ],
  }),
  ...rows('api_enabled', {
    observe: async (emulator) => (await stats(emulator)()).status,
    sees: [
      [true, 200],
      [false, 503],
    ],
  }),
  ...rows('unavailable_retry_after', {
    options: disabled,
    observe: async (emulator) => (await stats(emulator)()).headers.get('Retry-After'),
    sees: [
      [60, '60'],
      [3_600, '3600'],
      ['http_date', 'Thu, 15 Jan 2026 12:01:00 GMT'],
      ['none', null],
    ],
  }),
  ...rows('unavailable_body', {
    options: disabled,
    async observe(emulator) {
      const [status, body] = await seen(stats(emulator)())
      return [status, typeof body === 'string' ? body.slice(0, 15) : body]
    },
    sees: [
      ['error', [503, { error: 'API temporarily disabled.' }]],
      ['message', [503, { message: 'Service Unavailable' }]],
      ['html', [503, '<!DOCTYPE html>']],
    ],
  }),
  ...rows('check_order', {
    options: disabled,
    observe: async (emulator) =>
      (await send(emulator, 'GET', '/api/stats', { headers: { 'X-Api-Key': 'wrong' } })).status,
    sees: [
      [['disabled', 'key', 'suspended', 'address', 'quota'], 503],
      [['key', 'disabled', 'suspended', 'address', 'quota'], 401],
      ['quota, address, suspended, key, disabled', 401],
    ],
  }),
  ...rows('delete_missing', {
    observe: (emulator) => seen(send(emulator, 'DELETE', '/api/uploads/none')),
    sees: [
      ['404', [404, { message: 'No query results for model [App\\Models\\Upload].' }]],
      ['200', [200, { deleted: true }]],
      ['204', [204, '']],
      [204, [204, '']],
    ],
  }),
  ...rows('oversize', {
    options: { maxFileSizeBytes: 1_024 },
    observe: oversizedUpload,
    sees: [
      ['422', [422, 'application/json', '{"message":"The file field mus']],
      ['413', [413, 'application/json', '{\n    "message": "The POST dat']],
      ['413_html', [413, html, '<!DOCTYPE html>\n<html lang="en']],
      ['reset', 'ECONNRESET'],
    ],
  }),
  ...rows('max_file_size', {
    observe: async (emulator) => (await send(emulator, 'POST', '/api/upload', fileForm(jpegBytes(2_000)))).status,
    sees: [
      ['1KB', 422],
      [2_000, 201],
    ],
  }),
  ...rows('wrong_type_message', {
    observe: async (emulator) =>
      (await json(send(emulator, 'POST', '/api/upload', fileForm(Buffer.from('text'))))).message,
    sees: [
      ['mimes', 'The file field must be a file of type: jpg, jpeg, png, gif, webp, mp4, webm, mov.'],
      [
        'mimetypes',
        'The file field must be a file of type: image/jpeg, image/png, image/gif, image/webp, video/mp4, video/webm, video/quicktime.',
      ],
    ],
  }),
  ...rows('not_found_message', {
    observe: (emulator) => seen(missing(emulator)()),
    sees: [
      ['model', [404, { message: 'No query results for model [App\\Models\\Upload].' }]],
      ['model_with_key', [404, { message: 'No query results for model [App\\Models\\Upload] none' }]],
      ['generic', [404, { message: 'Not found.' }]],
      ['empty', [404, { message: '' }]],
    ],
  }),
  ...rows('errors_as_json', {
    async observe(emulator) {
      const to = (method: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
        form(send(emulator, method, path, { headers }))
      return [
        await to('GET', '/api/uploads/none'),
        await to('POST', '/api/upload'),
        await to('POST', '/api/upload', { Referer: 'http://h/form' }),
        await to('GET', '/api/none', { Accept: 'text/html, application/json' }),
        await to('PUT', '/api/stats', { Accept: 'text/html;q=0.5, application/json' }),
        await to('POST', '/api/upload', { Accept: 'application/vnd.api+json' }),
        await to('GET', '/api/uploads/none', { Accept: '*/*', 'X-Requested-With': 'XMLHttpRequest' }),
        await to('GET', '/api/uploads/none', { 'X-Requested-With': 'XMLHttpRequest', 'X-PJAX': 'true' }),
        await to('POST', '/api/upload', { 'X-Requested-With': 'XMLHttpRequest', 'X-PJAX': 'true' }),
        await to('POST', '/api/upload', { 'X-Requested-With': 'XMLHttpRequest', 'X-PJAX': '0' }),
        await to('POST', '/api/upload', { Accept: 'application/json', 'X-PJAX': 'true' }),
        await to('GET', '/api/stats', { 'X-Api-Key': 'wrong' }),
      ]
    },
    sees: [
      [
        'always',
        [404, 422, 422, 404, 405, 422, 404, 404, 422, 422, 422, 401].map((status) => [
          status,
          'application/json',
          null,
        ]),
      ],
      [
        'accept',
        [
          [404, html, null],
          [302, html, 'http://h'],
          [302, html, 'http://h/form'],
          [404, html, null],
          ...[405, 422, 404].map((status) => [status, 'application/json', null]),
          [404, html, null],
          [302, html, 'http://h'],
          ...[422, 422, 401].map((status) => [status, 'application/json', null]),
        ],
      ],
    ],
  }),
  ...rows('json_style', {
    async observe(emulator) {
      const page = await (await send(emulator, 'GET', '/api/uploads')).text()
      const refusal = await (await missing(emulator)()).text()
      const validation = await (await emptyUpload(emulator)()).text()
      return [/"path":"([^"]*)"/.exec(page)?.[1], /"label":"([^"]*)"/.exec(page)?.[1], refusal, validation.slice(0, 12)]
    },
    sees: [
      [
        'laravel',
        [
          'http:\\/\\/h\\/api\\/uploads',
          '\\u00ab Previous',
          '{\n    "message": "No query results for model [App\\\\Models\\\\Upload]."\n}',
          '{"message":"',
        ],
      ],
      [
        'plain',
        [
          'http://h/api/uploads',
          '« Previous',
          '{"message":"No query results for model [App\\\\Models\\\\Upload]."}',
          '{"message":"',
        ],
      ],
    ],
  }),
]
