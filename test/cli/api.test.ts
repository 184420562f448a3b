import { describe, expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { mediaPath } from '../helpers/media.ts'
import { createRig, jsonLines } from '../helpers/rig.ts'
import { answer, breakOff, scriptedServer } from '../helpers/scripted-server.ts'

function page(slugs: readonly string[], next: string | null) {
  return answer(200, { data: slugs.map((slug) => ({ slug })), next_page_url: next })
}

describe('api', () => {
  test('api prints the body unchanged', async () => {
    const server = await scriptedServer(answer(200, { big: 'https:\\/\\/x', n: 1 }))
    const { fh } = await createRig({ service: server })
    const { code, stdout, stderr } = await fh(['api', 'get', '/api/stats'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toBe('{"big":"https:\\\\/\\\\/x","n":1}\n')
    expect(server.requests[0]).toMatchObject({ method: 'GET', url: '/api/stats', headers: { 'x-api-key': 'test-key' } })
  })

  test.each([
    ['stats', '/api/stats'],
    ['/stats?a=1&b=%20', '/api/stats?a=1&b=%20'],
    ['api/uploads?page=2', '/api/uploads?page=2'],
    ['/api/uploads/a%2Fb', '/api/uploads/a%2Fb'],
  ])('api reads the path %s as %s', async (path, url) => {
    const server = await scriptedServer(answer(200, {}))
    const { fh } = await createRig({ service: server })
    expect((await fh(['api', 'GET', path])).code).toBe(0)
    expect(server.requests[0]?.url).toBe(url)
  })

  test.each(['https://evil.example/api/stats', '../stats', '/api/%2e%2e/x', '/', 'a b', '\\\\evil\\x'])(
    'sends the key nowhere for %s',
    async (path) => {
      const server = await scriptedServer(answer(200, {}))
      const { fh } = await createRig({ service: server })
      expect((await fh(['api', 'GET', path])).code).toBe(2)
      expect(server.requests).toEqual([])
    },
  )

  test.each([
    [['stats'], 'GET'],
    [['-X', 'delete', 'uploads/a'], 'DELETE'],
    [['uploads/a', '--method=PATCH', '--input', '-'], 'PATCH'],
    [['upload', '--input', '-'], 'POST'],
    [['get', 'stats'], 'GET'],
  ])('api reads its method as gh api does: %j is a %s', async (args, method) => {
    const server = await scriptedServer(answer(200, {}))
    const { fh } = await createRig({ service: server })
    expect((await fh(['api', ...args], { stdin: '{}' })).code).toBe(0)
    expect(server.requests[0]?.method).toBe(method)
  })

  test.each([
    [['GET'], 'Missing argument: path'],
    [['-X', 'GET'], 'Missing argument: path'],
    [['-X', 'GET', 'POST', 'stats'], 'The method is given twice: POST and --method GET'],
    [['GET', 'stats', 'uploads'], 'Too many arguments'],
  ])('api %j sends nothing and says: %s', async (args, message) => {
    const { fh } = await createRig({ service: { baseUrl: 'http://127.0.0.1:1' } })
    expect(await fh(['api', ...args])).toMatchObject({ code: 2, stderr: expect.stringMatching(`^fh: ${message}`) })
  })

  test('api --include prints the status and the headers first', async () => {
    const server = await scriptedServer(answer(200, { a: 1 }, { 'X-Thing': 'yes' }))
    const { fh } = await createRig({ service: server })
    expect((await fh(['api', 'GET', 'stats', '-i'])).stdout).toMatch(
      /^HTTP 200 OK\n(.+\n)*x-thing: yes\n(.+\n)*\n\{"a":1\}\n$/,
    )
  })

  test.each([
    [401, { error: 'Invalid API key.' }, 4],
    [403, { error: 'No.' }, 7],
    [404, { message: 'The route api/x could not be found.' }, 6],
    [422, { message: 'No.', errors: {} }, 2],
    [405, { message: 'No.' }, 1],
  ])('api prints the body of an answer %d and ends with its exit code', async (status, body, code) => {
    const server = await scriptedServer(answer(status, body))
    const { fh } = await createRig({ service: server })
    const ended = await fh(['api', 'GET', 'x'])
    expect([ended.code, JSON.parse(ended.stdout)]).toEqual([code, body])
    expect(ended.stderr).toMatch(new RegExp(`^fh: GET .* answered ${status}`))
    const json = await fh(['api', 'GET', 'x', '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject({ status, body })
    expect(jsonLines(json.stderr)).toMatchObject([{ type: 'error', http_status: status, exit_code: code }])
  })

  test.each([
    [['FOO', 'stats'], /^fh: "FOO" is not an HTTP method\n {2}Methods: GET, HEAD, POST/],
    [['CONNECT', 'stats'], /^fh: "CONNECT" is not an HTTP method/],
    [['GET', 'stats', '--input', 'x'], /^fh: GET takes no body\n {2}Leave out --input/],
    [['POST', 'x', '--paginate'], /^fh: --paginate works only with GET, not with POST/],
    [['POST', 'x', '--input', '-', '--content-type', 'a\nb'], /^fh: --content-type: "a\\nb" is not a media type\n/],
    [['POST', 'x', '--input', '-', '--content-type', ''], /^fh: --content-type: "" is not a media type\n/],
    [
      ['POST', 'x', '--input', 'gone'],
      /^fh: --input: gone cannot be read: there is no such file or folder\n {2}Give a/,
    ],
    [['POST', 'x', '--input', '.'], /^fh: --input: \. cannot be read: it is a folder\n/],
  ])('api %j ends with 2 and sends nothing', async (args, message) => {
    const server = await scriptedServer(answer(200, {}))
    const { fh } = await createRig({ service: server })
    expect(await fh(['api', ...args])).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
    expect(server.requests).toEqual([])
  })

  test('api hints at the method if the service allows another one', async () => {
    const server = await scriptedServer(answer(405, { message: 'No.' }))
    const { fh } = await createRig({ service: server })
    expect((await fh(['api', 'PUT', 'x'])).stderr).toMatch(/\n {2}Check the method\n$/)
  })

  test('api never repeats a POST, and says that it may have taken effect', async () => {
    const server = await scriptedServer(breakOff())
    const { fh } = await createRig({ service: server })
    const { code, stdout } = await fh(['api', 'POST', 'upload', '--input', '-', '--json'], { stdin: '{}' })
    expect([code, stdout]).toEqual([8, 'null\n'])
    expect(server.requests).toHaveLength(1)
  })

  test('api --input sends a file unchanged, with a fitting content type', async () => {
    const server = await scriptedServer(answer(200, {}))
    const { fh, write } = await createRig({ service: server })
    await write('body.json', '{"a": 1}')
    await fh(['api', 'POST', 'x', '--input', 'body.json'])
    await fh(['api', 'POST', 'x', '--input', '-', '--content-type', 'text/csv'], { stdin: 'a,b' })
    expect(server.requests.map(({ body, headers }) => [String(body), headers['content-type']])).toEqual([
      ['{"a": 1}', 'application/json'],
      ['a,b', 'text/csv'],
    ])
    expect((await fh(['api', 'POST', 'x', '--input', 'nowhere'])).code).toBe(2)
    expect((await fh(['api', 'GET', 'x', '--input', 'body.json'])).code).toBe(2)
  })

  test('api --paginate requests the pages from this service even if their URLs are incomplete or wrong', async () => {
    const server = await scriptedServer(
      (request, response) => page(['a'], `https://${request.headers.host}/api/uploads?page=2`)(request, response),
      page(['b'], null),
    )
    const { fh } = await createRig({ service: server })
    const { stdout } = await fh(['api', 'GET', 'uploads?sort=old', '--paginate', '--jsonl'])
    expect(stdout).toBe('{"slug":"a"}\n{"slug":"b"}\n')
    expect(server.requests.map(({ url }) => url)).toEqual(['/api/uploads?sort=old', '/api/uploads?sort=old&page=2'])
  })

  test('api --paginate reads all pages of a list', async () => {
    const { fh, emulator } = await emulatedRig()
    const [account] = emulator.control.accounts.list()
    emulator.control.accounts.addUploads(account?.id ?? 0, { count: 120 })
    const lines = await fh(['api', 'GET', 'uploads', '--paginate', '--jsonl'])
    expect(jsonLines(lines.stdout)).toHaveLength(120)
    const pages = JSON.parse((await fh(['api', 'GET', 'uploads', '--paginate', '--json'])).stdout)
    expect(pages.map(({ body }: { body: { current_page: number } }) => body.current_page)).toEqual([1, 2, 3])
  })

  test('api --paginate tells that items may be missing where the total falls between two pages', async () => {
    const of = (slug: string, total: number, next: string | null) =>
      answer(200, { data: [{ slug }], total, next_page_url: next })
    const server = await scriptedServer(of('a', 3, '/api/uploads?page=2'), of('c', 2, null))
    const { fh } = await createRig({ service: server })
    const { code, stdout, stderr } = await fh(['api', 'uploads', '--paginate', '--jsonl'])
    expect([code, stdout]).toEqual([1, '{"slug":"a"}\n{"slug":"c"}\n'])
    expect(stderr).toContain('Uploads may be missing: others were deleted')
  })

  test.each([
    ['to another host', 'http://evil.example/api/uploads?page=2', /not below/],
    ['to another list', '/api/stats?page=2', /of another list/],
    ['in circles', '/api/uploads', /form a circle/],
  ])('api --paginate does not go %s', async (_, next, message) => {
    const server = await scriptedServer(page(['a'], next))
    const { fh } = await createRig({ service: server })
    const { code, stdout, stderr } = await fh(['api', 'GET', 'uploads', '--paginate'])
    expect(code).toBeGreaterThan(0)
    expect(stdout).toContain('"slug":"a"')
    expect(stderr).toMatch(message)
    expect(server.requests).toHaveLength(1)
  })

  test('api prints no control characters of the service', async () => {
    const server = await scriptedServer(answer(200, '{"a":"\u009b31m\u202e"}'), answer(200, 'x\u001b[31m\ny'))
    const { fh } = await createRig({ service: server })
    expect((await fh(['api', 'GET', 'x'])).stdout).toBe('{"a":"\\u009b31m\\u202e"}\n')
    expect((await fh(['api', 'GET', 'x'])).stdout).toBe('x\\x1b[31m\ny\n')
  })

  test('api DELETE deletes an upload like fh delete', async () => {
    const { fh } = await emulatedRig()
    const slug = (await fh(['upload', '--format', 'slug', mediaPath('photo.jpg')])).stdout.trim()
    expect(JSON.parse((await fh(['api', 'DELETE', `uploads/${slug}`])).stdout)).toEqual({ deleted: true })
  })

  test.each([
    ['as it came', []],
    ['as one document', ['--json']],
    ['as lines', ['--paginate', '--jsonl']],
  ])('an answer nested too deeply to be printed %s is refused with the reason', async (_, flags) => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000)
    const server = await scriptedServer((_, response) => {
      response.setHeader('content-type', 'application/json').end(`{"data":[{"slug":${deep}}]}`)
    })
    const { fh } = await createRig({ service: server })
    const { code, stderr } = await fh(['api', 'GET', 'stats', ...flags])
    expect(code).toBe(1)
    expect(stderr).toContain('/api/stats answered 200 with JSON nested more than 500 deep')
    expect(stderr).not.toContain('call stack')
  })
})
