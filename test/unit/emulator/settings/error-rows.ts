import type { Emulator } from '../../../../emulator/index.ts'
import { jpegBytes } from '../../../helpers/media.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'
import { send } from '../emulated.ts'
import { emptyUpload, missing, rows, seen, stats } from './wire-row.ts'

const disabled = { settings: { api_enabled: false } }

const form = async (response: Promise<Response>) => {
  const { status, headers } = await response
  return [status, headers.get('Content-Type'), headers.get('Location')]
}

async function oversizedUpload(emulator: Emulator) {
  const response = await send(emulator, 'POST', '/api/upload', fileForm(jpegBytes(2_000)))
  return [response.status, response.headers.get('Content-Type'), (await response.text()).slice(0, 30)]
}

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
      [
        'expose',
        [[204, '*', 'x-api-key', allRateHeaders], ...failures.map((status) => [status, '*', null, allRateHeaders])],
      ],
      ['off', [200, ...failures].map((status) => [status, null, null, null])],
    ],
  }),
  ...rows('unavailable_retry_after', {
    options: disabled,
    observe: async (emulator) => (await stats(emulator)()).headers.get('Retry-After'),
    sees: [
      [3_600, '3600'],
      ['none', null],
    ],
  }),
  ...rows('unavailable_body', {
    options: disabled,
    observe: (emulator) => seen(stats(emulator)()),
    sees: [['message', [503, { message: 'Service Unavailable' }]]],
  }),
  ...rows('delete_missing', {
    observe: (emulator) => seen(send(emulator, 'DELETE', '/api/uploads/none')),
    sees: [['200', [200, { deleted: true }]]],
  }),
  ...rows('oversize', {
    options: { maxFileSizeBytes: 1_024 },
    observe: oversizedUpload,
    sees: [
      ['413', [413, 'application/json', '{\n    "message": "The POST dat']],
      ['413_html', [413, html, '<!DOCTYPE html>\n<html lang="en']],
    ],
  }),
  ...rows('not_found_message', {
    observe: (emulator) => seen(missing(emulator)()),
    sees: [
      ['model_with_key', [404, { message: 'No query results for model [App\\Models\\Upload] none' }]],
      ['generic', [404, { message: 'Not found.' }]],
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
