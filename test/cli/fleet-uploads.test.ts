import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes } from '../helpers/media.ts'
import { hurried } from '../helpers/preload.ts'
import { startRedis } from '../helpers/redis-server.ts'
import { type Ended, jsonLines, type RigOptions, type Running } from '../helpers/rig.ts'
import { settleRedis } from '../helpers/settled-redis.ts'
import { takesLong } from '../helpers/takes-long.ts'
import { until } from '../helpers/until.ts'

const FILES = 12

/** Runners with a folder of files of three sizes, a Redis of their own, and separate state folders. */
async function fleetRig(env: RigOptions['env'] = {}) {
  const redis = await startRedis()
  const rig = await emulatedRig({ env: { FH_LEDGER: redis.url, ...env } })
  await mkdir(join(rig.folder, 'in'))
  for (let number = 0; number < FILES; number += 1) {
    await rig.write(`in/p${number}.jpg`, Buffer.from(jpegBytes(500 + (number % 3)).fill(number, 4)))
  }
  const state = (runner: number) => ({ FH_STATE_DIR: join(rig.home, `runner-${runner}`) })
  return {
    ...rig,
    redis,
    stored: () => rig.emulator.control.health().uploads,
    start: (runner: number, ...args: string[]) =>
      rig.start(['upload', '-r', 'in', '--json', ...args], { env: state(runner), stdin: '' }),
    fh: (runner: number, args: readonly string[]) => rig.fh(args, { env: state(runner) }),
    /** Redis has been there for long enough that contents can be claimed. */
    settled: () => settleRedis(redis, rig.baseUrl, rig.emulator.apiKey),
  }
}

type Shown = Readonly<Record<'file' | 'status', string>> & { upload: Readonly<Record<'slug' | 'direct_url', string>> }

const recordsOf = ({ stdout }: Ended): readonly Shown[] => JSON.parse(stdout)
const slugsOf = (ended: Ended) => recordsOf(ended).map(({ upload }) => upload?.slug)

test(
  'four runners with one folder store each file once, though they are killed and Redis is restarted empty',
  takesLong(90, 'after a loss of Redis nothing is claimed for as long as a claim lasts, 30 seconds'),
  async () => {
    const { start, stored, redis, settled, folder, emulator } = await fleetRig({ FH_LIMITS: 'none' })
    await settled()
    emulator.control.faults.set([{ match: { path: '/api/upload' }, times: 10_000, action: { type: 'delay', ms: 400 } }])
    const current = new Map<number, Running>()
    const again = async (runner: number): Promise<Ended> => {
      const running = start(runner)
      current.set(runner, running)
      const ended = await running.ended
      // A run that finds that Redis has lost something ends, and the same command goes on.
      return ended.signal === null && ended.code !== 5 ? ended : await again(runner)
    }
    const runners = Promise.all([0, 1, 2, 3].map(again))
    const isOver = runners.then(() => true)
    await expect.poll(stored, { timeout: 30_000, interval: 50 }).toBeGreaterThan(0)
    for (const runner of [0, 1, 2]) {
      current.get(runner)?.child.kill('SIGKILL')
      await Promise.race([sleep(300), isOver])
    }
    await redis.kill()
    await redis.start()
    current.get(3)?.child.kill('SIGKILL')
    const ends = await runners
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0])
    expect(new Set(ends.map((ended) => slugsOf(ended).join()))).toHaveLength(1)
    expect([new Set(ends.flatMap(slugsOf)).size, stored()]).toEqual([FILES, FILES])
    for (const { file, upload } of recordsOf(ends[0] as Ended)) {
      const bytes = Buffer.from(await (await fetch(upload.direct_url)).arrayBuffer())
      expect(bytes.equals(await readFile(join(folder, file)))).toBe(true)
    }
  },
)

test('a fresh runner skips what another one stored, asks the service once, and forgets what was deleted', async () => {
  const { start, fh, stored, settled, redis, emulator } = await fleetRig()
  await settled()
  const first = await start(1).ended
  // Redis counts as whole for more than a day.
  await redis.age(2 * 86_400_000)
  expect((await start(2).ended).stdout).toContain('"status":"skipped"')
  const [gone = ''] = slugsOf(first)
  await fh(3, ['delete', '--yes', gone])
  const before = emulator.control.requests.list().requests.length
  const ended = await start(4).ended
  expect(recordsOf(ended).filter(({ status }) => status === 'uploaded')).toHaveLength(1)
  expect(stored()).toBe(FILES)
  // What was seen within ten seconds is not asked for; a slow machine asks for each of the others once.
  expect(emulator.control.requests.list().requests.length - before).toBeLessThanOrEqual(3 + FILES - 1)
})

test('uploads and deletions wait for a Redis that cannot be reached, end with 5, and name the way on without it', async () => {
  const { start, fh, stored, redis } = await fleetRig(hurried)
  await redis.kill()
  const first = await start(1, '--max-wait', '2s').ended
  expect([first.code, stored(), recordsOf(first).length]).toEqual([5, 0, 0])
  const waits = jsonLines(first.stderr).filter(({ message }) =>
    `${message}`.startsWith('Waiting for the shared ledger: '),
  )
  expect(waits).toMatchObject([{ type: 'warning', hint: expect.stringContaining('FH_LEDGER=') }])
  expect(jsonLines(first.stderr).at(-1)).toMatchObject({
    code: 'ledger-unreachable',
    exit_code: 5,
    retryable: true,
    hint: expect.stringContaining('FH_LEDGER='),
  })
  const { code, stderr } = await fh(2, ['list', '--json'])
  expect(code).toBe(5)
  expect(jsonLines(stderr).at(-1)).toMatchObject({ code: 'ledger-unreachable', retryable: true })
})

test('a record that Redis lost is made up for by the list and the bytes on the site', async () => {
  const { start, stored, redis, settled } = await fleetRig(hurried)
  await settled()
  const first = await start(1).ended
  await redis.command('FLUSHALL')
  const running = start(2)
  await until(async () => ((await redis.command('KEYS', '*:state')) as string[]).length > 0)
  await redis.age(31_000)
  const second = await running.ended
  expect([second.code, stored()]).toEqual([0, FILES])
  expect(slugsOf(second)).toEqual(slugsOf(first))
})
