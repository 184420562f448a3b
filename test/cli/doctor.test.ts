import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { mediaPath } from '../helpers/media.ts'
import { createRig } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'

interface Report {
  readonly ok: boolean
  readonly checks: readonly { readonly name: string; readonly status: string; readonly message: string }[]
  readonly dialect: Readonly<Record<string, unknown>> | null
}

function statusOf({ checks }: Report, name: string): string | undefined {
  return checks.find((check) => check.name === name)?.status
}

const statsBody = { uploads: 3, albums: 0, total_views: 9, api_requests: 5 }
const listBody = { data: [], total: 0, links: [], path: 'https://other.example/api/uploads' }

describe('doctor', () => {
  test('doctor reports a good service as ok, for two units', async () => {
    const { fh, emulator } = await emulatedRig()
    const { code, stdout, stderr } = await fh(['doctor'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^ok +key +accepted \(from FH_API_KEY\); uploads: 0$/m)
    expect(stdout).not.toMatch(/^(warn|fail)/m)
    expect(emulator.control.requests.list().requests.map(({ cost }) => cost)).toEqual([1, 1])
  })

  test.each([
    ['spec', { reset_format: 'epoch_seconds', link_labels: 'unicode', page_url_scheme: 'same', extra_fields: [] }],
    ['laravel', { link_labels: 'html_entities', links_page_key: true, json_style: 'laravel' }],
    ['hostile', { reset_format: 'delta_seconds', total_views_type: 'string', page_url_scheme: 'other' }],
  ] as const)('doctor shows the traits of the dialect %s', async (dialect, found) => {
    const { fh } = await emulatedRig({
      dialect,
      settings: { visible_after_ms: 0 },
      quotas: { burst: 100, minute: 100, hour: 1_000, day: 10_000 },
    })
    await fh(['upload', mediaPath('photo.jpg')])
    const report: Report = JSON.parse((await fh(['doctor', '--json'])).stdout)
    expect(report.dialect).toMatchObject(found)
  })

  test('doctor prints first what to act on, and the dialect only with --verbose', async () => {
    const { fh } = await emulatedRig()
    expect((await fh(['doctor'])).stdout).not.toContain('Dialect')
    expect((await fh(['doctor', '-v'])).stdout).toMatch(/\n\nDialect of the service:\n {2}json_style/)
    const { stdout } = await fh(['doctor'], { env: { FH_API_KEY: 'wrong' } })
    expect(stdout).toMatch(/^fail +key .*\n +Check the API key.*\nok +config /)
  })

  test('doctor detects https in front of a plain http service', async () => {
    const { baseUrl } = await scriptedServer(answer(200, statsBody))
    const { fh } = await createRig({ service: { baseUrl: baseUrl.replace('http:', 'https:') } })
    expect((await fh(['doctor'])).stdout).toMatch(/^fail +tls +\S+ does not speak TLS\n +Check the port .* http:/m)
  })

  test('doctor without settings says what to set, and ends with 2', async () => {
    const { fh } = await createRig()
    const { code, stdout } = await fh(['doctor'])
    expect([code, stdout]).toEqual([2, expect.stringMatching(/^fail +address +No base URL is set\n +Run fh login/m)])
    expect(stdout).toMatch(/^skip +key/m)
  })

  test.each([
    ['an unknown key', answer(401, { error: 'Invalid API key.' }), 4],
    ['a suspended account', answer(403, { error: 'Suspended.' }), 7],
    ['a service that is switched off', answer(503, { error: 'API temporarily disabled.' }, { 'Retry-After': '60' }), 5],
    ['a page that is no service', answer(200, '<html>'), 1],
    ['JSON that is no service', answer(200, { hello: 1 }), 1],
  ])('doctor detects %s with one request, and ends with its exit code', async (_, step, code) => {
    const server = await scriptedServer(step)
    const { fh } = await createRig({ service: server })
    const ended = await fh(['doctor', '--json'])
    const report: Report = JSON.parse(ended.stdout)
    expect([ended.code, report.ok, statusOf(report, 'key')]).toEqual([code, false, 'fail'])
    expect(server.requests.length).toBeLessThanOrEqual(2)
  })

  test('doctor detects an unreachable service without sending a request', async () => {
    const { fh } = await createRig({ service: { baseUrl: 'https://nowhere.invalid' } })
    const { code, stdout } = await fh(['doctor'])
    expect(code).toBe(5)
    expect(stdout).toMatch(
      /^fail +dns +nowhere\.invalid was not found.*\n +Check the base URL \(from FH_BASE_URL\), the network/m,
    )
    expect(stdout).toMatch(/^skip +list/m)
  })

  test.each([
    ['http', /^fail +key +Cannot connect to .*ECONNREFUSED/m],
    ['https', /^fail +tls +127\.0\.0\.1:1: .*ECONNREFUSED/m],
  ])('doctor detects that nothing listens at an address of %s, and says what to check', async (scheme, found) => {
    const { fh } = await createRig({ service: { baseUrl: `${scheme}://127.0.0.1:1` } })
    const { code, stdout, stderr } = await fh(['doctor'])
    expect([code, stderr]).toEqual([5, ''])
    expect(stdout).toMatch(found)
    expect(stdout).toMatch(/\n +Nothing listens there: check the base URL and its port, start .* fh emulate, or/)
  })

  test('doctor runs all checks even if the CA file is missing', async () => {
    const { fh } = await createRig({ service: { baseUrl: 'https://127.0.0.1:1' } })
    const { code, stdout } = await fh(['doctor', '--ca-cert', 'gone.pem'])
    expect(code).toBe(2)
    expect(stdout).toMatch(/^fail +tls +--ca-cert: gone\.pem cannot be read: there is no such file or folder$/m)
    expect(stdout).toMatch(/^skip +list/m)
  })

  test('doctor names the origin of a bad value and of a missing profile', async () => {
    const { fh } = await createRig({ service: { baseUrl: 'http://127.0.0.1:1' } })
    expect((await fh(['doctor'], { env: { FH_LIMITS: 'x' } })).stdout).toMatch(/^fail +config +FH_LIMITS: "x" is not/m)
    const { stdout } = await fh(['doctor'], { env: { FH_PROFILE: 'nope' } })
    expect(stdout).toMatch(/^warn +config +\S+ has no profile nope, given by FH_PROFILE\n +Profiles: none;/m)
  })

  test('doctor says in words which stored setting is wrong, and what changes it', async () => {
    const rig = await createRig()
    await rig.write('c/config.json', JSON.stringify({ profiles: { work: { base_url: 'ftp://files.example' } } }))
    const env = { FH_CONFIG_DIR: join(rig.folder, 'c') }
    const { code, stdout } = await rig.fh(['doctor', '--profile', 'work'], { env })
    expect(code).toBe(2)
    expect(stdout).toMatch(/^fail +config +base URL of profile work: The base URL must begin with https/m)
    expect(stdout).toContain(
      '\n      Run fh config set base_url VALUE --profile work; --base-url and FH_BASE_URL override it\n',
    )
  })

  test('doctor warns about a wrong clock', async () => {
    const date = new Date(Date.parse('2020-01-01T00:00:00Z')).toUTCString()
    const server = await scriptedServer(answer(200, statsBody, { Date: date }), answer(200, listBody, { Date: date }))
    const { fh } = await createRig({ service: server })
    const { code, stdout } = await fh(['doctor', '-v'])
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^warn +clock +This machine's clock is \d+ (s|min|h)( \d+ (s|min))? ahead of the service's\n +Set the clock/m,
    )
    expect(stdout).toMatch(/^ +page_url_scheme +other$/m)
  })

  test('doctor warns about a config file that others can read', async () => {
    const rig = await createRig()
    await rig.fh(['config', 'set', 'retries', '1'])
    await chmod(rig.configFile, 0o644)
    const report: Report = JSON.parse((await rig.fh(['doctor', '--json'])).stdout)
    expect(report.checks).toContainEqual({
      name: 'permissions',
      status: 'warn',
      message: `Other users of this machine can open ${rig.configFile}`,
      hint: `Run chmod go= ${rig.configFile}`,
    })
  })

  test.skipIf(process.platform === 'win32')(
    'advises a command that closes all that is open, run as it is',
    async () => {
      const place = join((await createRig()).home, "it's $(touch no) place")
      const rig = await createRig({
        env: { XDG_CONFIG_HOME: join(place, 'config'), XDG_STATE_HOME: join(place, 'state') },
      })
      await rig.fh(['config', 'set', 'retries', '1'])
      await rig.fh(['doctor'])
      const paths = [join(place, 'config/fh/config.json'), join(place, 'config/fh'), join(place, 'state/fh')]
      for (const path of paths) await chmod(path, 0o755)
      const permissions = async () => {
        const { stdout } = await rig.fh(['doctor', '--json'])
        const report: { checks: readonly { name: string; status: string; hint: string }[] } = JSON.parse(stdout)
        return report.checks.find(({ name }) => name === 'permissions')
      }
      const command = (await permissions())?.hint.replace(/^Run /, '') ?? 'false'
      await promisify(execFile)('sh', ['-c', command], { cwd: rig.folder })
      expect(await permissions()).toMatchObject({ status: 'ok' })
      expect(await readdir(rig.folder)).toEqual([])
    },
  )

  test('doctor stops after a broken config file', async () => {
    const rig = await createRig()
    await mkdir(join(rig.configFile, '..'), { recursive: true })
    await writeFile(rig.configFile, '{')
    const { code, stdout } = await rig.fh(['doctor'])
    expect([code, stdout]).toEqual([2, expect.stringMatching(/^fail +config +The config file .* is broken/)])
    expect(stdout).toMatch(/^skip +key +fix config first$/m)
  })

  test('doctor detects a state folder that cannot be written', async () => {
    const { fh } = await createRig()
    const { stdout } = await fh(['doctor'], { env: { FH_STATE_DIR: '/dev/null/x' } })
    expect(stdout).toMatch(/^fail +state +\/dev\/null\/x cannot be written/m)
  })

  test('doctor detects that the key would be sent unencrypted', async () => {
    const { fh } = await createRig({ service: { baseUrl: 'http://files.example' } })
    const { code, stdout } = await fh(['doctor'])
    expect(code).toBe(2)
    expect(stdout).toMatch(
      /^fail +address +The key would be sent unencrypted to files\.example \(from FH_BASE_URL\)\n +Use https:\/\/files\.example\/, or/m,
    )
  })
})
