import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { createRig } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'

const statsBody = { uploads: 3, albums: 0, total_views: 9, api_requests: 5 }

test('doctor reports a good service as ok, for a unit', async () => {
  const { fh, emulator } = await emulatedRig()
  const { code, stdout, stderr } = await fh(['doctor'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^ok +key +accepted \(from FH_API_KEY\); uploads: 0$/m)
  expect(stdout).not.toMatch(/^(warn|fail)/m)
  expect(emulator.control.requests.list().requests.map(({ cost }) => cost)).toEqual([1])
})

test.each([
  ['an unknown key', answer(401, { error: 'Invalid API key.' }), 4],
  ['a service that is switched off', answer(503, { error: 'API temporarily disabled.' }, { 'Retry-After': '60' }), 5],
  ['a page that is no service', answer(200, '<html>'), 1],
])('doctor detects %s with one request, and ends with its exit code', async (_, step, code) => {
  const server = await scriptedServer(step)
  const { fh } = await createRig({ service: server })
  const stdout = expect.stringMatching(/^ok +config (.*\n)*fail +key .*\n +\S/)
  expect(await fh(['doctor'])).toMatchObject({ code, stdout })
  expect(server.requests.length).toBe(1)
})

test('doctor prints what needs no request while the service lets it wait', async () => {
  const held = Promise.withResolvers<void>()
  const refusal = answer(401, { error: 'Invalid API key.' })
  const service = await scriptedServer((...given) => held.promise.then(() => refusal(...given)))
  const { start } = await createRig({ service })
  const run = start(['doctor'], { stdin: '' })
  expect(await run.printed('stdout', /^ok +state .*\n/m)).not.toContain('key')
  held.resolve()
  const { code, stdout } = await run.ended
  expect([code, stdout]).toEqual([4, expect.stringMatching(/^ok +config (.*\n)+ok +address (.*\n)+fail +key /)])
})

test.each<[string, number, RegExp, ...string[]]>([
  ['', 2, /^fail +address +No base URL is set\n +Run fh login/m],
  [
    'https://nowhere.invalid',
    5,
    /^fail +dns +nowhere\.invalid \(from FH_BASE_URL\) was not found.*\n +Check the address and the network/m,
  ],
  [
    'http://127.0.0.1:1',
    5,
    /^fail +key +Cannot connect to .*ECONNREFUSED.*\n +Nothing listens there\. Is the address right/m,
  ],
  [
    'https://127.0.0.1:1',
    5,
    /^fail +tls +127\.0\.0\.1:1: .*ECONNREFUSED.*\n +Nothing listens there\. Is the address right/m,
  ],
  ['https://127.0.0.1:1', 2, /^fail +tls +--ca-cert: gone\.pem cannot be read: there is no/m, '--ca-cert', 'gone.pem'],
  [
    'http://h.test',
    2,
    /^fail +address +The key would .* unencrypted .*\(from FH_BASE_URL\)\n +Use https, or --insecure-http/m,
  ],
])('doctor says what is wrong with the base URL "%s", and ends with %d', async (baseUrl, code, found, ...flags) => {
  const { fh } = await createRig({ service: { baseUrl } })
  const ended = await fh(['doctor', ...flags])
  expect(ended).toMatchObject({ code, stderr: '', stdout: expect.stringMatching(found) })
  expect(ended.stdout).toMatch(/^skip +clock/m)
})

test('doctor names the origin of a bad value and of a missing profile, and a state folder that cannot be written', async () => {
  const { fh } = await createRig({ service: { baseUrl: 'http://127.0.0.1:1' } })
  const report = async (env: Record<string, string>) => (await fh(['doctor'], { env })).stdout
  expect(await report({ FH_LIMITS: 'x' })).toMatch(/^fail +config +FH_LIMITS: "x" is not/m)
  expect(await report({ FH_PROFILE: 'nope' })).toMatch(
    /^warn +config +\S+ has no profile nope, given by FH_PROFILE\n +Profiles: none yet;/m,
  )
  expect(await report({ FH_STATE_DIR: '/dev/null/x' })).toMatch(/^fail +state +\/dev\/null\/x cannot be written/m)
})

test('doctor says in words which stored setting is wrong, what changes it, and where the whole file is broken', async () => {
  const rig = await createRig()
  await rig.write('c/config.json', JSON.stringify({ profiles: { work: { base_url: 'ftp://files.example' } } }))
  const env = { FH_CONFIG_DIR: join(rig.folder, 'c') }
  const { code, stdout } = await rig.fh(['doctor', '--profile', 'work'], { env })
  expect([code, stdout]).toEqual([2, expect.stringMatching(/^fail +config +base_url of profile work: .* URL must/m)])
  expect(stdout).toContain('\n      fh config set base_url VALUE --profile work stores it\n')
  await rig.write('c/config.json', '{')
  const broken = await rig.fh(['doctor'], { env })
  expect(broken.code).toBe(2)
  expect(broken.stdout).toMatch(/^fail +config +The config file .* is broken(.*\n)+skip +key +see the config check$/m)
})

test('doctor warns about a wrong clock', async () => {
  const server = await scriptedServer(answer(200, statsBody, { Date: 'Wed, 01 Jan 2020 00:00:00 GMT' }))
  const { fh } = await createRig({ service: server })
  const ended = await fh(['doctor'])
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ok +key/m) })
  expect(ended.stdout).toMatch(/^warn +clock +This machine's clock is \d.* ahead of the service's\n +Set the clock/m)
})
