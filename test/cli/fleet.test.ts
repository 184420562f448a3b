import { readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { mediaPath } from '../helpers/media.ts'
import { type RedisServer, startRedis } from '../helpers/redis-server.ts'
import { createRig, type Ended } from '../helpers/rig.ts'
import { settleRedis } from '../helpers/settled-redis.ts'
import { tlsFiles } from '../helpers/tls.ts'

const quotas = { burst: 20, minute: 60, hour: 1_000, day: 10_000 }
const photo = mediaPath('photo.jpg')

/** Runs of fh on several machines: each has a state folder of its own, and all count in one Redis. */
async function fleetRig(server: RedisServer) {
  const rig = await emulatedRig({ quotas, env: { FH_LEDGER: server.url } })
  const on = (machine: string) => ({ env: { FH_STATE_DIR: `${rig.folder}/${machine}` } })
  /** Redis has been there for long enough that contents can be claimed. */
  async function settled() {
    await rig.fh(['quota'])
    await settleRedis(server, rig.baseUrl, rig.emulator.apiKey)
  }
  return { ...rig, on, settled }
}

async function documentOf(name: string, { stdout }: Ended): Promise<ReturnType<typeof JSON.parse>> {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true })
  for (const schema of ['definitions', name]) {
    ajv.addSchema(JSON.parse(await readFile(new URL(`../../docs/schema/${schema}.json`, import.meta.url), 'utf8')))
  }
  const document = JSON.parse(stdout)
  const isValid = ajv.validate(`${name}.json`, document)
  expect(isValid ? '' : ajv.errorsText()).toBe('')
  return document
}

test('runs of fh on several machines count together in Redis, and quota shows the sum without a request', async () => {
  const { fh, on, emulator } = await fleetRig(await startRedis())
  await fh(['stats'], on('one'))
  await fh(['stats'], on('two'))
  const quota = await documentOf('quota', await fh(['quota', '--json'], on('three')))
  expect(quota.windows.hour).toMatchObject({ limit: 1_000, used: 2 })
  expect(emulator.control.requests.list().requests).toHaveLength(2)
  expect((await fh(['upload', '-n', '--json', photo], on('three'))).code).toBe(0)
})

test('quota --reset clears what all runners learned from a refusal, and what they used still counts', async () => {
  const { fh, on, emulator, baseUrl } = await fleetRig(await startRedis())
  const headers = { 'X-Api-Key': emulator.apiKey }
  for (let count = 0; count < 20; count += 1) await fetch(`${baseUrl}/api/stats`, { headers })
  expect((await fh(['upload', photo, '--no-wait', '--no-journal'], on('one'))).code).toBe(5)
  const before = await documentOf('quota', await fh(['quota', '--json'], on('two')))
  const reset = await fh(['quota', '--reset', '--json'], on('two'))
  const { windows } = await documentOf('quota', reset)
  expect(before.windows.burst.believed).toMatchObject({ limit: 10 })
  expect(windows.burst.believed).toBeNull()
  expect(windows.hour.used).toBe(before.windows.hour.used)
  expect((await fh(['quota', '--reset'], on('two'))).stderr).toBe('')
})

test('quota counts this machine alone where Redis cannot be reached, and says so once without the password', async () => {
  const rig = await createRig({ service: { baseUrl: 'http://127.0.0.1:1' } })
  const env = { FH_LEDGER: 'redis://alice:hunter2@127.0.0.1:1' }
  const { code, stdout, stderr } = await rig.fh(['quota', '--debug'], { env })
  expect([code, stderr]).toEqual([
    0,
    'fh: warning: Runners on other machines are not counted: Redis at 127.0.0.1:1 cannot be reached: nothing listens there\n',
  ])
  expect(stdout).toMatch(/^hour +0 +1,000 +1,000 +now$/m)
  const reset = await rig.fh(['quota', '--reset'], { env })
  expect(reset.code).toBe(5)
  expect(reset.stderr).toMatch(/^fh: Redis at 127\.0\.0\.1:1 cannot be reached/)
})

test('a run that cannot reach Redis sends nothing and ends with 5; without the ledger it goes on', async () => {
  const server = await startRedis()
  const { fh, on, emulator } = await fleetRig(server)
  await server.kill()
  const { code, stdout, stderr } = await fh(['stats', '--no-wait'], on('one'))
  expect([code, stdout]).toEqual([5, ''])
  expect(stderr).toMatch(
    /^fh: GET \S+ was not sent: Redis at \S+ cannot be reached: nothing listens there\n {2}FH_LEDGER= goes on/,
  )
  expect(emulator.control.requests.list().requests).toEqual([])
  const { env } = on('one')
  expect((await fh(['stats'], { env: { ...env, FH_LEDGER: '' } })).code).toBe(0)
})

test('doctor finds a good Redis: how fast it answers, and the runners; one unit of the service as ever', async () => {
  const server = await startRedis()
  const { fh, on, emulator } = await fleetRig(server)
  const { code, stdout } = await fh(['doctor'], on('one'))
  expect(code).toBe(0)
  expect(stdout).toMatch(/^ok +ledger +redis:\/\/\S+ answers; 0 other runners seen$/m)
  expect(emulator.control.requests.list().requests.map(({ cost }) => cost)).toEqual([1])
  await documentOf('doctor', await fh(['doctor', '--json'], on('one')))
})

test('doctor says that a user of Redis lacks a right that reading the ledger needs, and which rule gives it', async () => {
  const server = await startRedis()
  await server.command('ACL', 'SETUSER', 'alice', 'on', '>hunter2', '~fh2:*', '+@all', '-hset')
  const { fh } = await fleetRig(server)
  const { code, stdout } = await fh(['doctor'], { env: { FH_LEDGER: server.url.replace('//', '//alice:hunter2@') } })
  expect(code).toBe(1)
  expect(stdout).toMatch(/^fail +ledger +Redis .*permit.*\n +Allow .*ACL SETUSER \S+ ~fh2:\* .*\+hset/m)
  expect(stdout).toMatch(/^skip +key +see the ledger check/m)
  expect(stdout).not.toMatch(/hunter2/)
})

test('doctor names a wrong password of Redis, and a Redis that is not there', async () => {
  const server = await startRedis({ args: ['--requirepass', 'right'] })
  const { fh } = await fleetRig(server)
  const wrong = await fh(['doctor'], { env: { FH_LEDGER: server.url.replace('//', '//:hunter2@') } })
  expect(wrong.code).toBe(1)
  expect(wrong.stdout).toMatch(
    /^fail +ledger +Redis at \S+ refuses the user name or the password\n +Give them in its URL/m,
  )
  expect(wrong.stdout).not.toMatch(/hunter2/)
  const gone = await fh(['doctor'], { env: { FH_LEDGER: 'redis://127.0.0.1:1' } })
  expect(gone.code).toBe(5)
  expect(gone.stdout).toMatch(
    /^fail +ledger +Redis at 127\.0\.0\.1:1 cannot be reached: nothing listens there\n +FH_LEDGER= goes on/m,
  )
})

test('--ca-cert is trusted for a ledger over TLS as for the service; without it the certificate is named', async () => {
  const server = await startRedis({ isTls: true })
  const rig = await createRig({ service: { baseUrl: 'http://127.0.0.1:1' }, env: { FH_LEDGER: server.url } })
  const trusted = await rig.fh(['quota', '--json', '--ca-cert', tlsFiles.cert])
  expect([trusted.stderr, (await documentOf('quota', trusted)).windows.hour.used]).toEqual(['', 0])
  const { stderr } = await rig.fh(['quota'])
  expect(stderr).toMatch(
    /not counted: Redis at \S+ has a certificate that is not trusted\n +For an authority of your own: --ca-/,
  )
})

test('a ledger counts all runners also where no limits are assumed', async () => {
  const server = await startRedis()
  const { fh, on } = await fleetRig(server)
  expect((await fh(['stats', '--limits', 'none'], on('one'))).code).toBe(0)
  const { windows } = await documentOf('quota', await fh(['quota', '--json'], on('two')))
  expect(windows.hour.used).toBe(1)
})

test('an upload and quota run the key command once, with a ledger in Redis too', async () => {
  const server = await startRedis()
  const { fh, write, settled, emulator, baseUrl, folder } = await fleetRig(server)
  await settled()
  const env = { FH_API_KEY: undefined, FH_BASE_URL: '' }
  await fh(['config', 'set', 'base_url', baseUrl], { env })
  await write('key.sh', `echo run >> runs; echo ${emulator.apiKey}`)
  await fh(['config', 'set', 'key_command', 'sh key.sh'], { env })
  expect((await fh(['upload', photo], { env })).code).toBe(0)
  expect((await fh(['upload', '-n', '--force', photo], { env })).code).toBe(0)
  expect((await fh(['quota'], { env })).code).toBe(0)
  expect(await readFile(`${folder}/runs`, 'utf8')).toBe('run\nrun\nrun\n')
})

test('a run that is over is no runner any more, whether it sent something or found all of it stored', async () => {
  const server = await startRedis()
  const { fh, on, settled } = await fleetRig(server)
  await settled()
  for (const status of ['uploaded', 'skipped']) {
    expect(JSON.parse((await fh(['upload', photo, '--json'], on('one'))).stdout)).toMatchObject([{ status }])
    expect(await server.command('KEYS', 'fh2:*:runs')).toEqual([])
  }
})
