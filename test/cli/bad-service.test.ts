import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { deadAddress } from '../helpers/dead-address.ts'
import { mediaPath, uploadObject } from '../helpers/media.ts'
import { createRig, jsonLines } from '../helpers/rig.ts'
import { answer, breakOff, scriptedServer } from '../helpers/scripted-server.ts'

describe('the base URL', () => {
  test('a missing base URL is an error that names the two ways to set it', async () => {
    const rig = await createRig()
    const { code, stderr } = await rig.fh(['stats'], { env: { FH_API_KEY: 'key' } })
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^fh: No base URL is set\n {2}Run fh login, or fh emulate to try it; scripts set FH_BASE_URL and FH_API_KEY\n$/,
    )
    expect((await rig.fh(['stats'])).code).toBe(4)
  })

  test('the base URL may have a path and trailing slashes', async () => {
    const server = await scriptedServer(answer(200, { uploads: 0, albums: 0, total_views: 0, api_requests: 0 }))
    const rig = await createRig({ service: { baseUrl: `${server.baseUrl}/site//` } })
    expect((await rig.fh(['stats'])).code).toBe(0)
    expect(server.requests[0]?.url).toBe('/site/api/stats')
  })

  test('the base URL may be written as people type it, by flag, variable and config set, which stores the whole', async () => {
    const server = await scriptedServer(answer(200, { uploads: 0, albums: 0, total_views: 0, api_requests: 0 }))
    const typed = `${server.baseUrl.replace('http://', '')}/api/`
    const rig = await createRig({ service: { baseUrl: typed } })
    expect((await rig.fh(['stats'])).code).toBe(0)
    expect((await rig.fh(['stats', '--base-url', ` "${typed}" `], { env: { FH_BASE_URL: '' } })).code).toBe(0)
    await rig.fh(['config', 'set', 'base_url', typed])
    const stored = await rig.fh(['config', 'get', 'base_url'], { env: { FH_BASE_URL: '' } })
    expect(stored.stdout).toBe(`${server.baseUrl}\n`)
    expect(server.requests.map(({ url }) => url)).toEqual(['/api/stats', '/api/stats'])
  })

  test.each([
    ['files .example', /FH_BASE_URL: Not a URL: "https:\/\/files .example"; give it as https:\/\/files.example/],
    ['ftp://files.example', /must begin with https:\/\/ or http:\/\//],
    ['https://files.example/i/a1B2c3D4e5', /^fh: FH_BASE_URL: That is a page.*: write https:\/\/files.example\n/],
    [
      'https://files.example?api_key=secret',
      /must end with its path, without \? or #: write https:\/\/files.example\n/,
    ],
    ['https://me:secret@files.example', /must not contain a user name or password/],
    ['http://files.example', /unencrypted to files\.example\n {2}Use https, or --insecure-http/],
  ])('a base URL with %s is refused before anything is sent', async (baseUrl, message) => {
    const rig = await createRig({ service: { baseUrl } })
    const { code, stderr } = await rig.fh(['stats'])
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
    expect(stderr).not.toContain('secret')
  })

  test.each([
    [
      'redirects',
      answer(301, '', { Location: 'https://elsewhere.example/api/stats' }),
      /redirect to https:\/\/elsewhere/,
    ],
    ['answers HTML', answer(200, '<!doctype html><title>Shop</title>'), /answered 200 with an HTML page/],
    ['answers other JSON', answer(200, { hello: 'world' }), /uploads should be a number, but is missing/],
    ['knows no such path', answer(404, '<h1>Not Found</h1>'), /answered 404 with an HTML page/],
  ])('a base URL that %s ends with 1 and a hint to check it', async (_, step, message) => {
    const server = await scriptedServer(step)
    const rig = await createRig({ service: server })
    const { code, stdout, stderr } = await rig.fh(['stats'])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(message)
    expect(stderr).toMatch(/\n {2}Check the base URL/)
  })

  test('a base URL without a server ends with 5', async () => {
    const rig = await createRig({ service: { baseUrl: 'http://127.0.0.1:1' } })
    const { code, stderr } = await rig.fh(['stats', '--retries', '0'])
    expect(code).toBe(5)
    expect(stderr).toMatch(/^fh: Cannot connect to http:\/\/127\.0\.0\.1:1: .*\n {2}.*try again later/)
  })
})

test('an unreachable service stops the batch at the first file; the others are not started', async () => {
  const rig = await createRig({ service: { baseUrl: await deadAddress() } })
  const files = ['photo.jpg', 'picture.png', 'clip.mp4'].map(mediaPath)
  const { code, stderr } = await rig.fh(['upload', '-j', '1', '--retries', '0', ...files])
  expect(code).toBe(5)
  expect(stderr).toMatch(/^failed .*photo\.jpg: Cannot connect to .*\n {2}.*\n2 not started, 1 failed\nRun the same/)
})

describe('a refusal', () => {
  test.each([
    [401, { error: 'Invalid API key.' }, {}, 4, 'authentication-failed', null, null],
    [403, { error: 'Access suspended by administrator.' }, {}, 7, 'access-denied', null, null],
    [429, { error: 'Burst limit exceeded. Slow down.' }, { 'Retry-After': '7' }, 5, 'rate-limited', 'burst', 7_250],
    [503, { error: 'API temporarily disabled.' }, { 'Retry-After': '60' }, 5, 'unavailable', null, 60_000],
  ])(
    'a refusal with status %d is reported as JSON, in the words of the service',
    async (status, body, headers, exitCode, code, window, wait) => {
      const server = await scriptedServer(answer(status, body, headers as Record<string, string>))
      const rig = await createRig({ service: server })
      const ended = await rig.fh(['stats', '--json', '--no-wait', '--retries', '0'])
      expect([ended.code, ended.stdout]).toEqual([exitCode, 'null\n'])
      const error = JSON.parse(ended.stderr)
      expect(Object.keys(error)).toEqual([
        'type',
        'code',
        'exit_code',
        'http_status',
        'window',
        'retry_after_ms',
        'message',
        'hint',
        'request',
      ])
      expect(error).toMatchObject({
        type: 'error',
        code,
        exit_code: exitCode,
        http_status: status,
        window,
        message: body.error,
        hint: expect.any(String),
        request: { method: 'GET', path: '/api/stats' },
      })
      // The rest of the wait when the error is printed.
      expect(error.retry_after_ms ?? 0).toBeLessThanOrEqual(wait ?? 0)
      expect(error.retry_after_ms !== null).toBe(wait !== null)
    },
  )

  test('showing a missing upload ends with 6', async () => {
    const server = await scriptedServer(answer(404, { message: 'No query results for model [App\\Models\\Upload].' }))
    const rig = await createRig({ service: server })
    const { code, stderr } = await rig.fh(['show', 'gone'])
    expect(code).toBe(6)
    expect(stderr).toMatch(/^fh: gone: not found \(No query results for model \[Upload\]\.\)\n {2}/)
  })
})

test('a deletion answered with 410 ends with 6 and names the missing upload', async () => {
  const rig = await createRig({ service: await scriptedServer(answer(410, { message: 'Gone' })) })
  const { code, stderr } = await rig.fh(['delete', '--yes', 'aB3dE6gH9j'])
  expect([code, stderr]).toEqual([6, expect.stringMatching(/^fh: aB3dE6gH9j: not found \(Gone\)\n {2}/)])
})

/** A server of lists; every request is for one more page. */
async function listsOf(slugs: (number: number) => readonly string[], lastPage: (number: number) => number) {
  let number = 0
  return await scriptedServer((request, response) => {
    number += 1
    const data = slugs(number).map((slug) => ({ ...uploadObject, slug }))
    const page = { current_page: number, data, last_page: lastPage(number), per_page: 50, from: 1, to: 1, total: 9 }
    return answer(200, { ...page, next_page_url: `/api/uploads?page=${number + 1}` })(request, response)
  })
}

test.each([
  ['list --all', ['list', '--all', '--jsonl']],
  ['list --limit', ['list', '--limit', '100000', '--jsonl']],
  ['api --paginate', ['api', 'GET', 'uploads', '--paginate', '--jsonl']],
])('%s of an endless list fails after printing what it has read', async (_, args) => {
  const repeating = await listsOf(
    () => ['one'],
    () => 1e6,
  )
  const rig = await createRig({ service: repeating, env: { FH_LIMITS: 'none' } })
  const first = await rig.fh(args)
  expect([first.code, JSON.parse(first.stderr)]).toMatchObject([
    1,
    { message: expect.stringMatching(/no end: 3 pages/) },
  ])
  expect(repeating.requests).toHaveLength(4)
  const growing = await listsOf(
    (number) => [`s${number}`],
    (number) => number + 1,
  )
  const second = await rig.fh(args, { env: { FH_BASE_URL: growing.baseUrl } })
  expect([second.code, JSON.parse(second.stderr)]).toMatchObject([
    1,
    { message: expect.stringMatching(/counted 2 pages/) },
  ])
  expect(growing.requests).toHaveLength(102)
  expect(jsonLines(second.stdout).map(({ slug }) => slug)).toContain('s102')
})

test('a broken connection is retried, and the retry is reported', async () => {
  const stats = { uploads: 1, albums: 0, total_views: 0, api_requests: 0 }
  const server = await scriptedServer(breakOff(0), answer(200, stats))
  const rig = await createRig({ service: server })
  const { code, stderr } = await rig.fh(['stats'])
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^Trying again in [\d.]+ s: /)])
})

test('--debug prints requests and answers on stderr, without the key', async () => {
  const stats = { uploads: 1, albums: 0, total_views: 0, api_requests: 0 }
  const server = await scriptedServer(answer(200, stats, { 'X-Echo': 'test-key' }))
  const rig = await createRig({ service: server })
  const { stdout, stderr } = await rig.fh(['stats', '--debug', '--json'])
  expect(JSON.parse(stdout).stats).toEqual(stats)
  expect(stderr.match(/^> .*$/gm)).toEqual(['> GET /api/stats'])
  expect(stderr.match(/^< .*$/gm)).toEqual(['< 200'])
  expect(stderr).toMatch(/^ {2}accept: application\/json$/m)
  expect(stdout + stderr).not.toContain('test-key')
  expect((await rig.fh(['stats'], { env: { FH_DEBUG: '1' } })).stderr).toContain('> GET /api/stats')
})

test('control characters in messages of the service are escaped', async () => {
  const server = await scriptedServer(answer(403, { error: '\u001b[2J\u009b31m\u202eevil' }))
  const rig = await createRig({ service: server })
  const { stderr } = await rig.fh(['stats'])
  expect(stderr).toContain('\\x1b[2J\\x9b31m\\u202eevil')
  const { stderr: json } = await rig.fh(['stats', '--json'])
  expect(json).not.toContain('\u009b')
  expect(JSON.parse(json).message).toBe('\u001b[2J\u009b31m\u202eevil')
})

test('a stack trace is printed only with --debug', async () => {
  const rig = await createRig({ service: { baseUrl: 'http://127.0.0.1:1' } })
  const stack = /\n\s+at /
  expect((await rig.fh(['stats', '--retries', '0'])).stderr).not.toMatch(stack)
  expect((await rig.fh(['stats', '--retries', '0', '--debug'])).stderr).toMatch(stack)
})

test('--ca-cert refuses a file that is not PEM', async () => {
  const rig = await createRig({ service: { baseUrl: 'https://127.0.0.1:1' } })
  await rig.write('ca.pem', 'hello')
  expect(await rig.fh(['stats', '--ca-cert', 'ca.pem'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching('no certificate in PEM'),
  })
  expect(await rig.fh(['stats', '--ca-cert', 'gone.pem'])).toMatchObject({
    code: 2,
    stderr: 'fh: --ca-cert: gone.pem cannot be read: there is no such file or folder\n  Name a PEM file\n',
  })
})

test('https to a plain http service is reported as such', async () => {
  const server = await scriptedServer(answer(200, {}))
  const { fh } = await createRig({ service: { baseUrl: server.baseUrl.replace('http:', 'https:') } })
  const { code, stderr } = await fh(['stats', '--retries', '0'])
  expect(code).toBe(1)
  expect(stderr).toMatch(/does not speak TLS.*\n {2}Check the port of the base URL; does it have to begin with http:/)
})

test('a missing CA file is reported with the profile that names it', async () => {
  const rig = await createRig({ service: { baseUrl: 'https://127.0.0.1:1' } })
  await rig.write('ca.pem', rootCertificates[0] ?? '')
  await rig.fh(['config', 'set', 'ca_cert', 'ca.pem'])
  await rm(join(rig.folder, 'ca.pem'))
  const { code, stderr } = await rig.fh(['stats'])
  expect(code).toBe(2)
  expect(stderr).toMatch(/^fh: ca_cert of profile default: .*ca\.pem cannot be read.*\n {2}fh config set ca_cert FILE/)
})

test.each([
  [
    'of this machine',
    ['--base-url', 'http://127.0.0.1:1'],
    /check the base URL and its port, start a local service with fh emulate, or/,
  ],
  ['of a proxy', ['--proxy', 'http://127.0.0.1:1'], /\n {2}Nothing listens at the proxy: check --proxy/],
])('a port %s without a listener is reported as such', async (_, flags, hint) => {
  const { fh } = await createRig({ service: { baseUrl: 'http://127.0.0.1:2' } })
  const { code, stderr } = await fh(['stats', '--retries', '0', ...flags])
  expect([code, stderr]).toEqual([5, expect.stringMatching(/\n {2}Nothing listens /)])
  expect(stderr).toMatch(hint)
})

test.each([
  ['HTTPS_PROXY', {}, 'HTTPS_PROXY'],
  ['all_proxy', {}, 'all_proxy'],
  ['--proxy', { flags: ['--proxy', 'http://127.0.0.1:1'] }, '--proxy'],
  ['a profile', { stored: 'http://127.0.0.1:1' }, 'proxy of profile default'],
])(
  'a proxy of %s that cannot be reached is named by its place, for the service and for a site',
  async (name, given, place) => {
    const { flags = [], stored } = given as { readonly flags?: readonly string[]; readonly stored?: string }
    const env = /_proxy$/i.test(name) ? { [name]: 'http://127.0.0.1:1' } : {}
    const { fh } = await createRig({ service: { baseUrl: 'https://files.example' } })
    if (stored !== undefined) await fh(['config', 'set', 'proxy', stored])
    const hint = `\n  Nothing listens at the proxy: check ${place}, or do without it\n`
    const options = [['stats'], ['upload', 'https://site.example/a.jpg']]
    for (const args of options) {
      const { code, stderr } = await fh([...args, '--retries', '0', ...flags], { env })
      expect([code, stderr]).toEqual([5, expect.stringContaining(hint)])
    }
    const { stdout } = await fh(['doctor', '--retries', '0', ...flags], { env })
    expect(stdout).toContain(`127.0.0.1:1 (from ${place})`)
  },
)

test('a proxy whose host is not found, and a variable that names no proxy, are named', async () => {
  const { fh } = await createRig({ service: { baseUrl: 'https://files.example' } })
  const stats = (proxy: string) => fh(['stats', '--retries', '0'], { env: { HTTPS_PROXY: proxy } })
  expect((await stats('http://proxy.invalid:1')).stderr).toContain(
    '\n  The proxy did not connect: check HTTPS_PROXY, or',
  )
  expect(await stats('socks5://p')).toMatchObject({ code: 2, stderr: expect.stringMatching('^fh: HTTPS_PROXY: Only') })
})

test.each([
  [
    'is damaged',
    'bm8gY2VydGlmaWNhdGU=\n-----END CERTIFICATE-----\n',
    /^fh: --ca-cert: ca\.pem: certificate 2 of 2 is damaged\n {2}/,
  ],
  ['is cut off', 'TUlJ', /^fh: --ca-cert: ca\.pem: certificate 2 of 2 is cut off\n {2}/],
])('--ca-cert refuses a file with a certificate that %s', async (_, body, message) => {
  const rig = await createRig({ service: { baseUrl: 'https://127.0.0.1:1' } })
  await rig.write('ca.pem', `${rootCertificates[0]}\n-----BEGIN CERTIFICATE-----\n${body}`)
  const { code, stderr } = await rig.fh(['stats', '--ca-cert', 'ca.pem'])
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
})

test('--ca-cert accepts several certificates with text between them', async () => {
  const rig = await createRig({ service: { baseUrl: 'https://127.0.0.1:1' } })
  await rig.write('ca.pem', `First\n${rootCertificates[0]}\nSecond\n${rootCertificates[1]}\n`)
  expect((await rig.fh(['stats', '--ca-cert', 'ca.pem', '--retries', '0'])).code).toBe(5)
})

describe('with a base URL of plain http, a proxy', () => {
  const stats = { uploads: 1, albums: 0, total_views: 0, api_requests: 0 }

  test('a remote proxy for plain http, which could read the key, is refused without --insecure-http', async () => {
    const server = await scriptedServer(answer(200, stats))
    const rig = await createRig({ service: server })
    const proxy = ['--proxy', 'http://proxy.invalid:3128', '--retries', '0']
    const { code, stderr } = await rig.fh(['stats', ...proxy])
    expect(code).toBe(2)
    expect(stderr).toMatch(/^fh: --proxy: .* unencrypted to proxy\.invalid:3128.*\n {2}Use https, or --insecure-http/)
    expect((await rig.fh(['stats', ...proxy, '--insecure-http'])).code).toBe(5)
    expect(server.requests).toEqual([])
  })

  test('a proxy on this machine is used for plain http', async () => {
    const proxy = await scriptedServer(answer(200, stats))
    const rig = await createRig({ service: { baseUrl: 'http://127.0.0.1:1' } })
    expect((await rig.fh(['stats', '--proxy', proxy.baseUrl])).code).toBe(0)
    expect(proxy.requests[0]?.url).toBe('http://127.0.0.1:1/api/stats')
  })

  test('a proxy from the environment is not used for a service on this machine', async () => {
    const server = await scriptedServer(answer(200, stats))
    const rig = await createRig({ service: server })
    expect((await rig.fh(['stats'], { env: { HTTP_PROXY: 'http://proxy.invalid:3128' } })).code).toBe(0)
  })
})

test('an invalid proxy is refused, naming where it is set', async () => {
  const rig = await createRig({ service: { baseUrl: 'http://127.0.0.1:1' } })
  const { code, stderr } = await rig.fh(['stats', '--proxy', 'socks5://127.0.0.1:1'])
  expect(code).toBe(2)
  expect(stderr).toMatch(/^fh: --proxy: Only http:\/\/ and https:\/\/ proxies can be used/)
})

describe('an upload', () => {
  test('an upload whose list is refused says that the key is not accepted, and ends with 8', async () => {
    const server = await scriptedServer(answer(502, 'Bad gateway'), answer(401, { error: 'Invalid API key.' }))
    const rig = await createRig({ service: server })
    const { code, stderr } = await rig.fh(['upload', mediaPath('picture.png')])
    expect(code).toBe(8)
    expect(stderr).toMatch(/cannot be read, because the service does not accept the key .*Invalid API key/)
  })
})

test('an answer of more than 32 MB is reported as too large', async () => {
  const server = await scriptedServer(answer(200, ' '.repeat(33 * 1_048_576)))
  const rig = await createRig({ service: server })
  for (const command of [['stats'], ['api', 'GET', '/api/stats']]) {
    const { code, stderr } = await rig.fh(command)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/answered 200 with more than 32 MB/)])
  }
})
