import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { createRig, jsonLines } from '../helpers/rig.ts'
import { answer, breakOff, type Step, scriptedServer } from '../helpers/scripted-server.ts'

function page(slugs: readonly string[], next: string | null, total?: number) {
  return answer(200, { data: slugs.map((slug) => ({ slug })), total, next_page_url: next })
}

/** Runs `fh api` with a service that answers so. */
async function rigWith(...steps: readonly Step[]) {
  const { requests, ...service } = await scriptedServer(...steps)
  const rig = await createRig({ service })
  return { ...rig, requests, api: (args: readonly string[], stdin = '{}') => rig.fh(['api', ...args], { stdin }) }
}

test('api prints the body unchanged, and what it prints has no control characters of the service', async () => {
  const { api, requests } = await rigWith(
    answer(200, { big: 'https:\\/\\/x', n: 1 }),
    answer(200, '{"a":"\u009b31m\u202e"}'),
    answer(200, 'x\u001b[31m\ny'),
  )
  const stdout = '{"big":"https:\\\\/\\\\/x","n":1}\n'
  expect(await api(['get', '/api/stats'])).toMatchObject({ code: 0, stdout, stderr: '' })
  expect(requests[0]).toMatchObject({ method: 'GET', url: '/api/stats', headers: { 'x-api-key': 'test-key' } })
  expect((await api(['x'])).stdout).toBe('{"a":"\\u009b31m\\u202e"}\n')
  expect((await api(['x'])).stdout).toBe('x\\x1b[31m\ny\n')
})

test.each([
  [['stats'], 'GET', '/api/stats'],
  [['get', '/stats?a=1&b=%20'], 'GET', '/api/stats?a=1&b=%20'],
  [['-X', 'delete', 'uploads/a%2Fb'], 'DELETE', '/api/uploads/a%2Fb'],
  [['uploads/a', '--method=PATCH', '--input', '-'], 'PATCH', '/api/uploads/a'],
  [['upload', '--input', '-'], 'POST', '/api/upload'],
])('api reads its method and path as gh api does: %j is a %s of %s', async (args, method, url) => {
  const { api, requests } = await rigWith(answer(200, {}))
  expect((await api(args)).code).toBe(0)
  expect(requests).toMatchObject([{ method, url }])
})

test('api --include prints the status and the headers first', async () => {
  const { api } = await rigWith(answer(200, { a: 1 }, { 'X-Thing': 'yes' }))
  expect((await api(['stats', '-i'])).stdout).toMatch(/^HTTP 200 OK\n(.+\n)*x-thing: yes\n(.+\n)*\n\{"a":1\}\n$/)
})

test.each([
  [404, 6, { message: 'The route api/x could not be found.' }],
  [405, 1, { message: 'No.' }],
])('api prints the body of an answer %d and ends with its exit code %d', async (status, code, body) => {
  const { api } = await rigWith(answer(status, body))
  const ended = await api(['PUT', 'x'])
  expect([ended.code, JSON.parse(ended.stdout)]).toEqual([code, body])
  expect(ended.stderr).toMatch(new RegExp(`^fh: PUT .* answered ${status}`))
  const json = await api(['PUT', 'x', '--json'])
  expect(JSON.parse(json.stdout)).toMatchObject({ status, body })
  expect(jsonLines(json.stderr)).toMatchObject([{ type: 'error', http_status: status, exit_code: code }])
})

test('api never repeats a POST, and says that it may have taken effect', async () => {
  const { api, requests } = await rigWith(breakOff())
  expect(await api(['POST', 'upload', '--input', '-', '--json'])).toMatchObject({ code: 8, stdout: 'null\n' })
  expect(requests).toHaveLength(1)
})

test('api --input sends a file unchanged, with a fitting content type', async () => {
  const { api, requests, write } = await rigWith(answer(200, {}))
  await write('body.json', '{"a": 1}')
  await api(['POST', 'x', '--input', 'body.json'])
  await api(['POST', 'x', '--input', '-'], 'a,b')
  expect(requests.map(({ body, headers }) => [String(body), headers['content-type']])).toEqual([
    ['{"a": 1}', 'application/json'],
    ['a,b', 'application/octet-stream'],
  ])
})

test('api --paginate reads all pages of a list', async () => {
  const { fh, emulator } = await emulatedRig()
  emulator.control.accounts.addUploads(1, { count: 120 })
  const lines = await fh(['api', 'uploads', '--paginate', '--jsonl'])
  expect([lines.code, jsonLines(lines.stdout).length]).toEqual([0, 120])
  const pages = JSON.parse((await fh(['api', 'uploads', '--paginate', '--json'])).stdout)
  expect(pages).toMatchObject([1, 2, 3].map((current_page) => ({ body: { current_page } })))
})

test('api --paginate counts the pages itself, whatever the address of the next one is', async () => {
  const { api, requests } = await rigWith(page(['a'], 'http://evil.example/api/other?page=9'), page(['b'], null))
  expect((await api(['uploads?sort=old', '--paginate', '--jsonl'])).stdout).toBe('{"slug":"a"}\n{"slug":"b"}\n')
  expect(requests.map(({ url }) => url)).toEqual(['/api/uploads?sort=old', '/api/uploads?sort=old&page=2'])
})

test('api --paginate ends where another page comes than the one asked for', async () => {
  const first = { data: [{ slug: 'a' }], current_page: 1, last_page: 9, next_page_url: '/api/uploads?page=2' }
  const { api, requests } = await rigWith(answer(200, first))
  const stderr = expect.stringContaining('page 2 was asked for, and page 1 came')
  expect(await api(['uploads', '--paginate'])).toMatchObject({ code: 3, stderr })
  expect(requests.length).toBe(2)
})

test.each([
  ['as it came', []],
  ['as one document', ['--json']],
  ['as lines', ['--paginate', '--jsonl']],
])('an answer nested too deeply to be printed %s is refused with the reason', async (_, flags) => {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000)
  const type = { 'Content-Type': 'application/json' }
  const { api } = await rigWith(answer(200, `{"data":[{"slug":${deep}}]}`, type))
  const stderr = expect.stringContaining('/api/stats answered 200 with JSON that is nested too deep')
  expect(await api(['stats', ...flags])).toMatchObject({ code: 1, stderr })
})
