import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes, mediaPath, uploadObject } from '../helpers/media.ts'
import { stillTime } from '../helpers/preload.ts'
import { createRig } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'

const burst = { error: 'Burst limit exceeded. Slow down.' }
const minute = { error: 'Rate limit exceeded (per minute).' }
const disabled = { error: 'API temporarily disabled.' }

test.each([
  ['is longer than the burst that refused', 429, burst, 'burst', '30', '5s', /in 3[01] s,/],
  ['comes with a 503', 503, disabled, null, '7200', '90m', /in 2 h( 1 min)?$/],
  ['is missing, with no retry', 503, disabled, null, '', '90m', /^Try again later$/],
] as const)(
  'a Retry-After too long for --max-wait ends the command at once with 5 and says when to try again: it %s',
  async (_, status, body, window, asked, maxWait, told) => {
    const server = await scriptedServer(answer(status, body, asked ? { 'Retry-After': asked } : {}))
    const rig = await createRig({ service: server })
    const { code, stderr } = await rig.fh(['stats', '--json', '--retries', '0', '--max-wait', maxWait])
    const hint = expect.stringMatching(told)
    expect([code, JSON.parse(stderr)]).toMatchObject([5, { exit_code: 5, message: body.error, window, hint }])
    expect(server.requests).toHaveLength(1)
  },
)

const stats = { uploads: 0, albums: 0, total_views: 0, api_requests: 0 }

test('--limits none respects, in a second run, the refusal of the first and a Remaining of 0 until its Reset', async () => {
  const refused = await scriptedServer(answer(429, minute, { 'Retry-After': '50' }))
  const spent = { 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '30' }
  const empty = await scriptedServer(answer(200, stats, spent))
  for (const [server, first] of [
    [refused, 5],
    [empty, 0],
  ] as const) {
    const rig = await createRig({ service: server, env: { FH_LIMITS: 'none' } })
    expect((await rig.fh(['stats', '--no-wait'])).code).toBe(first)
    const { code, stderr } = await rig.fh(['stats', '--no-wait'])
    expect([code, stderr]).toEqual([5, expect.stringMatching(/Try again in (49|50|51|2\d|30|31) s,/)])
    expect(server.requests).toHaveLength(1)
  }
})

test('what was not sent for want of quota is told by the window, its wait and the longest one allowed', async () => {
  const rig = await createRig({ service: await scriptedServer(answer(429, minute, { 'Retry-After': '50' })) })
  await rig.fh(['stats', '--no-wait'])
  await rig.write('a.jpg', jpegBytes(500))
  const room = 'not sent: the minute quota has room in \\d+ s, --max-wait is'
  for (const [args, told] of [
    [['stats', '--max-wait', '5s'], `fh: ${room} 5 s\n`],
    [['upload', 'a.jpg', '--no-wait'], `fh: a\\.jpg: ${room} 0 s\n`],
  ] as const) {
    const { code, stderr } = await rig.fh(args)
    expect([code, stderr]).toEqual([5, expect.stringMatching(new RegExp(`^${told}`))])
  }
})

test('six uploads after one refusal of the burst are planned within 65 s', async () => {
  const quotas = { burst: 20, minute: 600, hour: 1_000, day: 10_000 }
  const rig = await emulatedRig({ quotas, clock: 'virtual' })
  const headers = { 'X-Api-Key': rig.emulator.apiKey }
  for (let count = 0; count < 20; count += 1) await fetch(`${rig.baseUrl}/api/stats`, { headers })
  // Of the burst no limit is given: one that is would be doubted for ten seconds only.
  const env = { ...stillTime, FH_LIMITS: 'minute=600' }
  expect((await rig.fh(['upload', mediaPath('photo.jpg'), '--no-wait'], { env })).code).toBe(5)
  const files = Array.from({ length: 6 }, (_, index) => `${index}.jpg`)
  for (const [index, file] of files.entries()) await rig.write(file, jpegBytes(1_000 + index))
  const { stdout } = await rig.fh(['upload', '-n', '--json', '-j', '1', ...files], { env })
  const { parts, done_at } = JSON.parse(stdout)
  expect(Date.parse(done_at) - Date.parse(parts[0].starts_at)).toBeLessThan(65_000)
})

test.each([
  [['--limits', 'burst=5'], 'an upload costs 10 units, the burst allows 5'],
  [['--limits', 'hour=5'], 'an upload costs 10 units, the hour allows 5'],
])('an upload that can never fit under %j is refused with 2 before any request', async (flags, told) => {
  const server = await scriptedServer(answer(201, { upload: uploadObject }))
  const rig = await createRig({ service: server })
  const files = [mediaPath('photo.jpg'), mediaPath('clip.mp4')]
  for (const args of [files.slice(0, 1), files, ['-n', ...files]]) {
    const { code, stderr } = await rig.fh(['upload', ...flags, ...args])
    expect([code, stderr]).toEqual([2, expect.stringContaining(told)])
  }
  expect(server.requests).toHaveLength(0)
  expect((await rig.fh(['quota', ...flags.slice(0, 2)])).code).toBe(0)
})
