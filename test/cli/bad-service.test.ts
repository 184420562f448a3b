import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { expect, test } from 'vitest'
import { deadAddress } from '../helpers/dead-address.ts'
import { mediaPath } from '../helpers/media.ts'
import { createRig } from '../helpers/rig.ts'
import { answer, breakOff, type Step, scriptedServer, twoLengths } from '../helpers/scripted-server.ts'

const stats = { uploads: 1, albums: 0, total_views: 0, api_requests: 0 }

/** A rig whose service answers so. */
async function rigWith(...steps: readonly Step[]) {
  const server = await scriptedServer(...steps)
  return { ...(await createRig({ service: server })), server }
}

test('the base URL may be written as people type it, by flag, variable and config set, which stores the whole', async () => {
  const server = await scriptedServer(answer(200, stats))
  const typed = `${server.baseUrl.replace('http://', '')}/api/`
  const rig = await createRig({ service: { baseUrl: typed } })
  expect((await rig.fh(['stats'])).code).toBe(0)
  expect((await rig.fh(['stats', '--base-url', ` "${typed}" `], { env: { FH_BASE_URL: '' } })).code).toBe(0)
  await rig.fh(['config', 'set', 'base_url', typed])
  const stored = await rig.fh(['config', 'get', 'base_url'], { env: { FH_BASE_URL: '' } })
  expect(stored.stdout).toBe(`${server.baseUrl}\n`)
  expect(server.requests.map(({ url }) => url)).toEqual(['/api/stats', '/api/stats'])
})

test('an unreachable service stops the batch at the first file; the others are not started', async () => {
  const rig = await createRig({ service: { baseUrl: await deadAddress() } })
  const files = ['photo.jpg', 'picture.png', 'clip.mp4'].map(mediaPath)
  const { code, stderr } = await rig.fh(['upload', '-j', '1', '--retries', '0', ...files])
  expect(code).toBe(5)
  expect(stderr).toMatch(/^failed .*photo\.jpg: Cannot connect to .*\n {2}.*\n2 not started, 1 failed\nRun the same/)
})

test('a service whose answers are malformed gets one upload of a batch, asks for no patience, and is not asked again', async () => {
  const { fh, server } = await rigWith(twoLengths)
  const { code, stderr } = await fh(['upload', '-j', '1', mediaPath('photo.jpg'), mediaPath('picture.png')])
  expect([code, server.requests.map(({ method }) => method)]).toEqual([8, ['POST', 'GET']])
  expect(stderr).toMatch(/\(Duplicate Content-Length\).*\n1 not started, 1 of unknown outcome\n/s)
  expect((await fh(['stats'])).stderr).toMatch(/\n {2}Trying again will not help: check the address, and/)
})

test('a broken connection is retried, and the retry is reported', async () => {
  const { code, stderr } = await (await rigWith(breakOff(0), answer(200, stats))).fh(['stats'])
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^Trying again in [\d.]+ s: /)])
})

test('--debug prints requests and answers on stderr, without the key', async () => {
  const rig = await rigWith(answer(200, stats, { 'X-Echo': 'test-key' }))
  const { stdout, stderr } = await rig.fh(['stats', '--debug', '--json'])
  expect(JSON.parse(stdout).stats).toEqual(stats)
  expect(stderr.match(/^[<>] .*$/gm)).toEqual(['> GET /api/stats', '< 200'])
  expect(stderr).toMatch(/^ {2}accept: application\/json$/m)
  expect(stdout + stderr).not.toContain('test-key')
  expect((await rig.fh(['stats'], { env: { FH_DEBUG: '1' } })).stderr).toContain('> GET /api/stats')
})

test('a message of the service has its control characters escaped, and a stack trace only with --debug', async () => {
  const { fh } = await rigWith(answer(403, { error: 'No.\u001b[2J\u009b31m\u202e' }))
  const stack = /\n\s+at /
  const { stderr } = await fh(['stats'])
  expect([stderr.includes('No.\\x1b[2J\\x9b31m\\u202e'), stack.test(stderr)]).toEqual([true, false])
  expect((await fh(['stats', '--debug'])).stderr).toMatch(stack)
})

test('https to a plain http service is reported as such', async () => {
  const { baseUrl } = await scriptedServer(answer(200, {}))
  const { fh } = await createRig({ service: { baseUrl: baseUrl.replace('http:', 'https:') } })
  const { code, stderr } = await fh(['stats', '--retries', '0'])
  expect(code).toBe(1)
  expect(stderr).toMatch(/does not speak TLS.*\n {2}Check the port of the base URL; does it have to begin with http:/)
})

const first = `${rootCertificates[0]}\n`

test.each([
  ['no PEM', 'hello', /no certificate in PEM/],
  ['missing', undefined, /^fh: --ca-cert: ca\.pem cannot be read: there is no such file or folder\n/],
])('--ca-cert refuses a file that is %s', async (_, content, message) => {
  const rig = await createRig({ service: { baseUrl: 'https://127.0.0.1:1' } })
  if (content !== undefined) await rig.write('ca.pem', content)
  const ended = await rig.fh(['stats', '--ca-cert', 'ca.pem'])
  expect(ended).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
})

test('--ca-cert accepts several certificates with text between them', async () => {
  const rig = await createRig({ service: { baseUrl: 'https://127.0.0.1:1' } })
  await rig.write('ca.pem', `First\n${first}Second\n${rootCertificates[1]}\n`)
  expect((await rig.fh(['stats', '--ca-cert', 'ca.pem', '--retries', '0'])).code).toBe(5)
})

test('a missing CA file is reported with the profile that names it', async () => {
  const rig = await createRig({ service: { baseUrl: 'https://127.0.0.1:1' } })
  await rig.write('ca.pem', first)
  await rig.fh(['config', 'set', 'ca_cert', 'ca.pem'])
  await rm(join(rig.folder, 'ca.pem'))
  const message = /^fh: ca_cert of profile default: .*ca\.pem cannot be read.*\n$/
  expect(await rig.fh(['stats'])).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
})

const proxy = 'http://127.0.0.1:1'

test.each<[string, string, Readonly<Record<string, string>>, readonly string[]]>([
  ['a variable', 'all_proxy', { all_proxy: proxy }, []],
  ['a flag', '--proxy', {}, ['--proxy', proxy]],
  ['a profile', 'proxy of profile default', {}, []],
])('a proxy of %s that cannot be reached is named by its place: %s', async (_, place, env, flags) => {
  const { fh } = await createRig({ service: { baseUrl: 'https://files.example' } })
  if (place.includes('profile')) await fh(['config', 'set', 'proxy', proxy])
  const hint = `\n  Check the proxy (${place}), or do without it\n`
  for (const args of [['stats'], ['upload', 'https://site.example/a.jpg']]) {
    const ended = await fh([...args, '--retries', '0', ...flags], { env })
    expect(ended).toMatchObject({ code: 5, stderr: expect.stringContaining(hint) })
  }
  const { stdout } = await fh(['doctor', '--retries', '0', ...flags], { env })
  expect(stdout).toContain(`127.0.0.1:1 (from ${place})`)
})

test.each([
  [5, 'HTTPS_PROXY', 'http://proxy.invalid:1', '\n  Check the proxy (HTTPS_PROXY), or'],
  [2, 'HTTPS_PROXY', 'socks5://p', 'fh: HTTPS_PROXY: Only http:// and https:// proxies can be used'],
])('fh ends with %d where %s is %s, and names it', async (code, name, value, message) => {
  const { fh } = await createRig({ service: { baseUrl: 'https://files.example' } })
  const ended = await fh(['stats', '--retries', '0'], { env: { [name]: value } })
  expect(ended).toMatchObject({ code, stderr: expect.stringContaining(message) })
})

test('a remote proxy for plain http, which could read the key, is refused without --insecure-http', async () => {
  const { fh, server } = await rigWith(answer(200, stats))
  const args = ['stats', '--proxy', 'http://proxy.invalid:3128', '--retries', '0']
  const { code, stderr } = await fh(args)
  expect(code).toBe(2)
  expect(stderr).toMatch(
    /^fh: The key would travel unencrypted to proxy\.invalid:3128.*\n {2}Use https, or --insecure-http/,
  )
  expect((await fh([...args, '--insecure-http'])).code).toBe(5)
  expect(server.requests).toEqual([])
})

test('a proxy on this machine is used for plain http, one from the environment not for a service on this machine', async () => {
  const { fh, server } = await rigWith(answer(200, stats))
  expect((await fh(['stats'], { env: { HTTP_PROXY: 'http://proxy.invalid:3128' } })).code).toBe(0)
  const env = { FH_BASE_URL: proxy }
  expect((await fh(['stats', '--proxy', server.baseUrl], { env })).code).toBe(0)
  expect(server.requests.map(({ url }) => url)).toEqual(['/api/stats', 'http://127.0.0.1:1/api/stats'])
})

test.each([[['stats']], [['api', 'GET', 'stats']]])('an answer to fh %j of over 32 MB is too large', async (args) => {
  const { code, stderr } = await (await rigWith(answer(200, ' '.repeat(33 * 1_048_576)))).fh(args)
  expect([code, stderr]).toEqual([1, expect.stringMatching(/answered 200 with more than 32 MB/)])
})
