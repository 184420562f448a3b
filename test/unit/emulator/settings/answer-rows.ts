import type { Emulator } from '../../../../emulator/index.ts'
import { json, send, sendFile } from '../emulated.ts'
import { emptyUpload, header, list, missing, row, seen, stats } from './wire-row.ts'

const disabled = { settings: { api_enabled: false } }
const small = { maxFileSizeBytes: 1_024 }

async function oversized(emulator: Emulator) {
  const { status, headers } = await sendFile(emulator, 2_000)
  return [status, headers.get('Content-Type')]
}

const html = 'text/html; charset=utf-8'

const preflight = {
  Origin: 'https://page.example',
  'Access-Control-Request-Method': 'GET',
  'Access-Control-Request-Headers': 'x-api-key',
}
const rateHeaders = 'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-RateLimit-Cost, Retry-After'

/** What a browser is told by a preflight, a success and failures, as origins, headers allowed and headers shown. */
async function toldToPages(emulator: Emulator) {
  const told: unknown[] = []
  const ask = async (answer: Promise<Response>) => {
    const { status, headers } = await answer
    const names = ['Allow-Origin', 'Allow-Headers', 'Expose-Headers']
    told.push([status, ...names.map((name) => headers.get(`Access-Control-${name}`))])
  }
  await ask(send(emulator, 'OPTIONS', '/api/stats', { headers: preflight }))
  await ask(stats(emulator)())
  await ask(send(emulator, 'GET', '/api/stats', { headers: { 'X-Api-Key': 'wrong' } }))
  emulator.control.accounts.update(1, { quotas: { burst: 0 } })
  await ask(stats(emulator)())
  return told
}

const answered = [200, 401, 429]
const shown = [[204, '*', 'x-api-key', rateHeaders], ...answered.map((status) => [status, '*', null, rateHeaders])]
const hidden = [200, ...answered].map((status) => [status, null, null, null])

const scripted = { 'X-Requested-With': 'XMLHttpRequest' }

/** Requests, and with `errors_as_json: accept` a page, the address of a redirect or `json` in answer. */
const requests: readonly (readonly [string, string, Readonly<Record<string, string>>, string])[] = [
  ['GET', '/api/uploads/none', {}, `404 ${html}`],
  ['POST', '/api/upload', {}, '302 http://h'],
  ['POST', '/api/upload', { Referer: 'http://h/form' }, '302 http://h/form'],
  ['GET', '/api/none', { Accept: 'text/html, application/json' }, `404 ${html}`],
  ['PUT', '/api/stats', { Accept: 'text/html;q=0.5, application/json' }, '405 application/json'],
  ['POST', '/api/upload', { Accept: 'application/vnd.api+json' }, '422 application/json'],
  ['GET', '/api/uploads/none', { ...scripted, Accept: '*/*' }, '404 application/json'],
  ['POST', '/api/upload', { ...scripted, 'X-PJAX': 'true' }, '302 http://h'],
  ['POST', '/api/upload', { ...scripted, 'X-PJAX': '0' }, '422 application/json'],
  ['POST', '/api/upload', { Accept: 'application/json', 'X-PJAX': 'true' }, '422 application/json'],
  ['GET', '/api/stats', { 'X-Api-Key': 'wrong' }, '401 application/json'],
]

const forms = requests.map(([, , , form]) => form)

async function errorForms(emulator: Emulator) {
  const found: string[] = []
  for (const [method, path, sent] of requests) {
    const { status, headers } = await send(emulator, method, path, { headers: sent })
    found.push(`${status} ${headers.get('Location') ?? headers.get('Content-Type')}`)
  }
  return found
}

async function writtenJson(emulator: Emulator) {
  const page = await (await send(emulator, 'GET', '/api/uploads')).text()
  const validation = await (await emptyUpload(emulator)()).text()
  const refusal = await (await missing(emulator)()).text()
  return [/"path":"([^"]*)"/.exec(page)?.[1], /« \w+/.exec(page)?.[0], refusal.slice(0, 12), validation.slice(0, 12)]
}

/** For each page number the page, or the status and message. */
async function pagesOf(emulator: Emulator) {
  const pages = ['abc', '0', '', '1'].map((page) => seen(send(emulator, 'GET', `/api/uploads?page=${page}`)))
  return (await Promise.all(pages)).map(([status, body]) => Object(body).current_page ?? [status, body])
}

async function sizeOfPage(emulator: Emulator) {
  emulator.control.accounts.addUploads(1, { count: 60 })
  const { data, per_page, last_page, to } = await list(emulator)
  return [data.length, per_page, last_page, to]
}

async function pageKeys(emulator: Emulator) {
  emulator.control.accounts.addUploads(1, { count: 700 })
  return (await list(emulator)).links.map((link) => ('page' in link ? link.page : 'gap'))
}

async function schemes(emulator: Emulator) {
  const headers = { 'X-Api-Key': emulator.apiKey }
  const secure = await json(emulator.fetch(new Request('https://h/api/uploads', { headers })))
  return [(await list(emulator)).first_page_url, secure.path]
}

const deleteMissing = (emulator: Emulator) => seen(send(emulator, 'DELETE', '/api/uploads/none'))
const missingUpload = async (emulator: Emulator) => (await seen(missing(emulator)()))[1]
const withId = { message: 'No query results for model [App\\Models\\Upload] none' }
const noPage = [404, { message: '' }]

export const answerRows = [
  row('cors', 'expose', shown, toldToPages),
  row('cors', 'off', hidden, toldToPages),
  row('unavailable_retry_after', 3_600, '3600', header('Retry-After'), disabled),
  row('unavailable_retry_after', 'none', null, header('Retry-After'), disabled),
  row('unavailable_body', 'message', [503, { message: 'Service Unavailable' }], (it) => seen(stats(it)()), disabled),
  row('delete_missing', '200', [200, { deleted: true }], deleteMissing),
  row('oversize', '413', [413, 'application/json'], oversized, small),
  row('oversize', '413_html', [413, html], oversized, small),
  row('not_found_message', 'model_with_key', withId, missingUpload),
  row('not_found_message', 'generic', { message: 'Not found.' }, missingUpload),
  row('errors_as_json', 'accept', forms, errorForms),
  row('json_style', 'plain', ['http://h/api/uploads', '« Previous', '{"message":"', '{"message":"'], writtenJson),
  row('page_invalid', '404', [noPage, noPage, 1, 1], pagesOf),
  row('page_size', 7, [7, 7, 9, 7], sizeOfPage),
  row('links_page_key', true, [null, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 'gap', 13, 14, 2], pageKeys),
  row('page_url_scheme', 'http', ['http://h/api/uploads?page=1', 'http://h/api/uploads'], schemes),
]
