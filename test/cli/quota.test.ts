import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Emulator } from '../../emulator/index.ts'
import { boundByPermissions, permissionTest } from '../helpers/bound-by-permissions.ts'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { mediaPath } from '../helpers/media.ts'
import { stillTime } from '../helpers/preload.ts'
import { createRig } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'

/** For runs whose time stands still: a service whose time does too. */
const still = { clock: 'virtual' } as const
const quotas = { burst: 20, minute: 60, hour: 1_000, day: 10_000 }
const account = { service: { baseUrl: 'http://127.0.0.1:1', apiKey: 'secret-key' } }

/** Fills the burst by what nothing on this machine has counted. */
async function useByOthers({ emulator, baseUrl }: { emulator: Emulator; baseUrl: string }): Promise<void> {
  const headers = { 'X-Api-Key': emulator.apiKey }
  for (let count = 0; count < 20; count += 1) await fetch(`${baseUrl}/api/stats`, { headers })
}

test('quota shows the usage of earlier runs without a request', async () => {
  const rig = await emulatedRig({ quotas, ...still })
  await rig.fh(['stats'], { env: stillTime })
  await rig.fh(['upload', mediaPath('photo.jpg')], { env: stillTime })
  await rig.emulator.close()
  const { code, stdout, stderr } = await rig.fh(['quota', '--json'], { env: stillTime })
  expect([code, stderr]).toEqual([0, ''])
  const quota = JSON.parse(stdout)
  const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  expect(quota.windows.burst).toEqual({
    limit: 20,
    believed: null,
    used: 11,
    remaining: 9,
    fits_at: { upload: instant, delete: instant, other: instant },
  })
  const { upload, other } = quota.windows.burst.fits_at
  expect(Date.parse(upload) - Date.parse(other)).toBeGreaterThan(5_000)
  expect(quota.uploads.map(({ count }: { count: number }) => count)).toEqual([1, 10, 100])
})

test('quota prints a table, when more uploads would be done, and writes no file', async () => {
  const { fh, home } = await createRig(account)
  const { code, stdout, stderr } = await fh(['quota', '--limits', 'minute=120,day=none'], { env: stillTime })
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout.trimEnd().split('\n')).toEqual([
    'WINDOW  USED  LIMIT   LEFT  NEXT UPLOAD',
    'burst      0     20     20  now',
    'minute     0    120    120  now',
    'hour       0  1,000  1,000  now',
    expect.stringMatching(/^1 more upload would be done by \d\d:\d\d:\d\d$/),
    expect.stringMatching(/^10 more uploads/),
    expect.stringMatching(/^100 more uploads/),
  ])
  const selected = await fh(['quota', '--json', '--fields', 'hour,hold'])
  expect(JSON.parse(selected.stdout)).toMatchObject({ hour: { limit: 1_000, used: 0 }, hold: null })
  expect(await fh(['quota', '--reset'])).toMatchObject({ code: 0, stderr: '' })
  expect(readdirSync(home)).toEqual([])
})

test('runs of fh that were shown no quota wait for none, and quota shows none', async () => {
  const rig = await emulatedRig({ quotas: 'none', ...still })
  const upload = ['upload', '--force', '--no-wait', mediaPath('photo.jpg')]
  for (let count = 0; count < 4; count += 1) expect((await rig.fh(upload, { env: stillTime })).code).toBe(0)
  const { stdout } = await rig.fh(['quota'], { env: stillTime })
  expect(stdout).toMatch(/^hour +4\d +- +- +now$/m)
  const limited = ['upload', '-n', '--force', '--limits', 'burst=20', mediaPath('photo.jpg')]
  expect((await rig.fh(limited, { env: stillTime })).stdout).toContain('burst')
})

test('quota shows the pause after a refusal, and the limit assumed, until when and why, and --reset clears both', async () => {
  const rig = await emulatedRig({ quotas, ...still })
  await useByOthers(rig)
  const env = stillTime
  expect((await rig.fh(['upload', mediaPath('photo.jpg'), '--no-wait'], { env })).code).toBe(5)
  const { stdout } = await rig.fh(['quota'], { env })
  expect(stdout).toMatch(/^burst +10 +20 \(10 assumed until 12:00, after a refusal\) +0 /m)
  expect(stdout).toMatch(/^Paused for [\d.]+ s: a request was refused for the burst quota$/m)
  const { windows, hold } = JSON.parse((await rig.fh(['quota', '--json'], { env })).stdout)
  expect(hold).toMatchObject({ window: 'burst', source: 'retry-after' })
  expect(windows.burst.believed).toEqual({ limit: 10, until: expect.any(String), reason: 'refusal' })
  expect(windows.minute.believed).toBeNull()
  const reset = await rig.fh(['quota', '--reset', '--json'], { env })
  expect([reset.code, reset.stderr]).toEqual([0, ''])
  expect(JSON.parse(reset.stdout)).toMatchObject({ windows: { burst: { used: 0, believed: null } }, hold: null })
  await rig.emulator.control.clock.advance(10_000)
  expect((await rig.fh(['upload', mediaPath('photo.jpg'), '--no-wait'], { env })).code).toBe(0)
  expect(await rig.fh(['quota', '--reset'], { env })).toMatchObject({
    stdout: expect.stringMatching(/^minute +0 +60 +60 +now$/m),
    stderr: '',
  })
})

test('quota --reset sends nothing, and requests in flight still count', async () => {
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const server = await scriptedServer(async (request, response) => {
    arrived.resolve()
    await released.promise
    return answer(200, { uploads: 0, albums: 0, total_views: 0, api_requests: 0 })(request, response)
  })
  const rig = await createRig({ service: server })
  const running = rig.start(['stats'])
  await arrived.promise
  const { stdout, stderr } = await rig.fh(['quota', '--reset'])
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^hour +1 +1,000 +999 /m)
  expect(stdout).not.toContain('Nothing is counted')
  released.resolve()
  expect((await running.ended).code).toBe(0)
  expect(server.requests).toHaveLength(1)
})

permissionTest('quota says so where the count of earlier runs cannot be read, as does upload -n', async () => {
  const rig = await createRig(account)
  await rig.fh(['stats', '--retries', '0'])
  const database = join(rig.home, '.local/state/fh/quota.db')
  chmodSync(database, 0o000)
  onTestFinished(() => chmodSync(database, 0o600))
  for (const args of [['quota'], ['quota', '--json'], ['upload', '-n', mediaPath('photo.jpg')]]) {
    const { code, stderr } = await rig.program(args, { through: boundByPermissions })
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/Earlier runs are not counted: cannot read .*: permission denied/),
    ])
  }
})

permissionTest('quota says so where the state folder itself cannot be entered, and clears nothing', async () => {
  const rig = await createRig(account)
  await rig.fh(['stats', '--retries', '0'])
  const folder = join(rig.home, '.local/state/fh')
  chmodSync(folder, 0o000)
  onTestFinished(() => chmodSync(folder, 0o700))
  const run = async (...args: string[]) => await rig.program(['quota', ...args], { through: boundByPermissions })
  expect((await run()).stderr).toMatch(/Earlier runs are not counted: cannot read .*: permission denied/)
  expect(await run('--reset')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^fh: .* cannot be used: .*denied/),
  })
})

test.each([
  ['none', ['stats', '--limits', 'none']],
  ['--no-journal', ['upload', '--no-journal', mediaPath('photo.jpg')]],
])('limits %s: the ledger stays shared, and nothing else is written', async (_, args) => {
  const rig = await emulatedRig({ quotas })
  expect((await rig.fh(args)).code).toBe(0)
  expect(readdirSync(join(rig.home, '.local/state/fh'))).toEqual(['quota.db', 'quota.db-journal', 'runs'])
})

test('the ledger is in FH_STATE_DIR, for its owner only, and contains neither key nor address', async () => {
  const rig = await emulatedRig({ quotas })
  const state = join(rig.folder, 'state')
  await rig.fh(['stats'], { env: { FH_STATE_DIR: state } })
  const modes = ['', 'runs', 'quota.db'].map((name) => statSync(join(state, name)).mode & 0o777)
  expect(modes).toEqual([0o700, 0o700, 0o600])
  const text = readFileSync(join(state, 'quota.db'), 'latin1')
  expect(text).toContain('"status":200')
  expect(text).not.toContain(rig.emulator.apiKey)
  expect(text).not.toContain('127.0.0.1')
})

test('a ledger that cannot be written causes a warning, and uploads continue', async () => {
  const rig = await emulatedRig({ quotas })
  const state = join(rig.folder, 'file')
  writeFileSync(state, '')
  const { code, stderr } = await rig.fh(['stats'], { env: { FH_STATE_DIR: state } })
  expect(code).toBe(0)
  expect(stderr.match(/Other processes of fh are not counted: cannot use /g)).toHaveLength(1)
  expect(stderr).toContain('Set FH_STATE_DIR to a folder that can be written')
})
