import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/index.ts'
import { SqliteUploads } from '../../src/store/sqlite-uploads.ts'
import { accountAddress, accountHash } from '../../src/system/account-hash.ts'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes, uploadObject } from '../helpers/media.ts'
import { until } from '../helpers/until.ts'
import { uploadsDb } from '../helpers/uploads-db.ts'

const env = { FH_LIMITS: 'none' }

/** A JPEG of this size that differs from all others with another number. */
function photo(number: number, size = 500): Buffer {
  const first = jpegBytes(size).fill(number & 255, 4)
  return first.fill(number >> 8, 5, 6)
}

async function knownRig() {
  const rig = await emulatedRig()
  const { control } = rig.emulator
  const uploads = uploadsDb(rig.home)
  return {
    ...rig,
    control,
    uploads,
    stored: () => control.health().uploads,
    requests: () => control.requests.list().requests.length,
    upload: (args: readonly string[], more: Record<string, string | undefined> = {}) =>
      rig.fh(['upload', ...args], { env: { ...env, ...more } }),
    age: uploads.age,
  }
}

test('the same content under two names in one command is uploaded once, and both print its link', async () => {
  const rig = await knownRig()
  for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) await rig.write(name, photo(name === 'c.jpg' ? 2 : 1))
  for (const jobs of ['1', '2', '8']) {
    const { code, stdout } = await rig.upload(['-j', jobs, 'a.jpg', 'b.jpg', 'c.jpg', '--json'])
    const records = JSON.parse(stdout) as { status: string; upload: { slug: string } }[]
    const [a, b, c] = records.map(({ upload: { slug } }) => slug)
    expect([code, a === b, a === c, rig.stored()]).toEqual([0, true, false, 2])
  }
})

test('eight commands that upload one folder of 30 files at once store 30 files and print 30 links each', async () => {
  const rig = await knownRig()
  await mkdir(join(rig.folder, 'in'))
  for (let number = 0; number < 30; number += 1) await rig.write(`in/p${number}.jpg`, photo(number, 500 + (number % 3)))
  const runs = await Promise.all(Array.from({ length: 8 }, () => rig.program(['upload', '-r', 'in', '-q'])))
  expect(runs.map(({ code }) => code)).toEqual(Array(8).fill(0))
  expect(new Set(runs.map(({ stdout }) => stdout)).size).toBe(1)
  expect([runs[0]?.stdout.match(/http/g)?.length, rig.stored()]).toEqual([30, 30])
})

test('what was uploaded within ten seconds is skipped without a request, what is older costs one', async () => {
  const rig = await knownRig()
  await rig.write('a.jpg', photo(1))
  await rig.upload(['a.jpg'])
  const before = rig.requests()
  await rig.upload(['a.jpg'])
  expect(rig.requests() - before).toBe(0)
  rig.age()
  const { code, stderr } = await rig.upload(['a.jpg'])
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^skipped a\.jpg: already there as \S+ \(a\.jpg, uploaded 1 min ago\)/),
  ])
  expect(rig.requests() - before).toBe(1)
})

test('a run that is interrupted while it waits to compare its files says that the same command continues', async () => {
  const rig = await knownRig()
  await rig.write('a.jpg', photo(1))
  await rig.upload(['a.jpg'])
  rig.age()
  const headers = { 'Retry-After': '3000' }
  const body = { error: 'Rate limit exceeded (per hour).' }
  rig.control.faults.set([{ match: { method: 'GET' }, action: { type: 'status', status: 429, headers, body } }])
  const running = rig.start(['upload', 'a.jpg'], { env })
  await running.printed('stderr', /Waiting 50 min for the hour quota/)
  running.child.kill('SIGINT')
  const { code, stderr } = await running.ended
  const end = /\nRun the same command again to continue\nfh: interrupted\n$/
  expect([code, stderr]).toEqual([130, expect.stringMatching(end)])
})

test.each([
  ['grown', 'is stored once, also by the next run', [], photo(1, 600), ['uploaded', 'skipped', 2]],
  ['another one', 'is sent, though its former content is there', [photo(0)], photo(1), ['uploaded', 'skipped', 3]],
  ['one that is there', 'is not sent', [photo(1, 600)], photo(1, 600), ['skipped', 'skipped', 2]],
] as const)('a file that is %s once its turn comes %s', async (_change, _follows, known, after, outcome) => {
  const rig = await knownRig()
  for (const bytes of known) {
    await rig.write('known.jpg', bytes)
    await rig.upload(['known.jpg'])
  }
  await rig.write('b.jpg', photo(0))
  const run = rig.start(['upload', '-j', '1', '-', 'b.jpg', '--json'], { env })
  // The batch was compared with the record before its first file, standard input, is read.
  run.child.stdin?.write(photo(9, 9_000))
  await until(async () => (await readdir(rig.temporary)).length === 1)
  await rig.write('b.jpg', after)
  run.child.stdin?.end()
  const runs = [await run.ended, await rig.upload(['b.jpg', '--json'])]
  const statuses = runs.map(({ stdout }) => JSON.parse(stdout).at(-1).status)
  expect([...statuses, rig.stored()]).toEqual(outcome)
})

test('a file that the service may have is not sent where the service cannot be asked', async () => {
  const rig = await knownRig()
  await rig.write('a.jpg', photo(1))
  await rig.upload(['a.jpg'])
  rig.age()
  rig.control.settings.update({ api_enabled: false })
  const { code, stdout } = await rig.upload(['a.jpg', '--no-wait'])
  expect([code, stdout, rig.stored()]).toEqual([5, '', 1])
})

test('a second file with the content of one whose outcome is unknown is not sent, and is unknown too', async () => {
  const rig = await knownRig()
  for (const name of ['a.jpg', 'b.jpg']) await rig.write(name, photo(1))
  rig.control.faults.set([
    { match: { method: 'POST' }, times: 1, action: { type: 'commit_then_drop' } },
    { match: { method: 'GET' }, times: 100, action: { type: 'status', status: 500, body: {} } },
  ])
  const { code, stdout } = await rig.upload(['-j', '1', 'a.jpg', 'b.jpg', '--json', '--retries', '0'])
  expect([code, JSON.parse(stdout)]).toMatchObject([8, [{ status: 'unknown' }, { status: 'unknown' }]])
  expect(rig.stored()).toBe(1)
})

test('a regenerated key knows the uploads of the old one, at the price of one page of the list', async () => {
  const rig = await knownRig()
  for (const number of [1, 2]) await rig.write(`${number}.jpg`, photo(number))
  await rig.upload(['1.jpg', '2.jpg'])
  const { api_key: key } = rig.control.accounts.regenerateKey(1)
  rig.age()
  const before = rig.requests()
  const { code, stderr } = await rig.upload(['1.jpg', '2.jpg'], { FH_API_KEY: key })
  expect([code, stderr]).toEqual([0, expect.stringContaining('2 skipped\n')])
  expect([rig.stored(), rig.requests() - before]).toEqual([2, 2])
})

test('another account of the same service gets its own upload of the same content', async () => {
  const rig = await knownRig()
  await rig.write('a.jpg', photo(1))
  await rig.upload(['a.jpg'])
  const other = { FH_API_KEY: rig.control.accounts.create({}).api_key }
  expect((await rig.upload(['a.jpg', '--progress', 'plain'], other)).stderr).toMatch(/^uploaded a/)
  expect((await rig.upload(['a.jpg', '--progress', 'plain'], other)).stderr).toMatch(/^skipped a/)
  expect(rig.stored()).toBe(2)
})

test('localhost and 127.0.0.1 are one account: what was uploaded at one is skipped at the other', async () => {
  const rig = await knownRig()
  await rig.write('a.jpg', photo(1))
  const { port } = new URL(rig.baseUrl)
  expect((await rig.upload(['a.jpg'], { FH_BASE_URL: `http://127.0.0.1:${port}` })).code).toBe(0)
  const elsewhere = { FH_BASE_URL: `http://localhost:${port}` }
  expect((await rig.upload(['a.jpg', '--progress', 'plain'], elsewhere)).stderr).toMatch(/^skipped/)
  const { stdout } = await rig.fh(['list', '--fields', 'name'], { env: { ...env, ...elsewhere } })
  expect([stdout, rig.stored()]).toEqual(['a.jpg\n', 1])
})

test('--no-journal neither heeds nor writes the record', async () => {
  const rig = await knownRig()
  await rig.write('a.jpg', photo(1))
  await rig.upload(['a.jpg', '--no-journal'])
  expect((await rig.upload(['a.jpg', '--progress', 'plain'])).stderr).toMatch(/^uploaded/)
  expect((await rig.upload(['a.jpg', '--no-journal', '--progress', 'plain'])).stderr).toMatch(/^uploaded/)
  expect(rig.stored()).toBe(3)
})

test('a dry run tells by the record what is there already, without a request, and what was deleted elsewhere is sent again', async () => {
  const rig = await knownRig()
  const startedAt = Date.now() - 60_000
  const account = { address: accountAddress(rig.baseUrl), keyHash: accountHash(rig.baseUrl, rig.emulator.apiKey) }
  const created_at = new Date(startedAt).toISOString()
  const these = { count: 3, mime_type: 'image/jpeg', size: 500, created_at }
  const { slugs = [] } = rig.control.accounts.addUploads(1, these)
  const store = new SqliteUploads({ path: rig.uploads.path, account, clock: systemClock, onProblem() {} })
  for (const [number, slug] of slugs.entries()) {
    await rig.write(`in/p${number}.jpg`, photo(number))
    const sha256 = createHash('sha256').update(photo(number)).digest('hex')
    const [upload, at] = [{ ...uploadObject, slug }, startedAt + number]
    await store.seen({ content: { size: 500, sha256 }, path: `-p${number}.jpg`, upload, at, seenAt: at })
  }
  await store.close()
  await rig.write('in/new.jpg', photo(999))
  const dry = await rig.upload(['-n', '-r', 'in'])
  expect([dry.code, rig.requests()]).toEqual([0, 0])
  expect(dry.stdout).toMatch(/^in\/p1\.jpg +500 B +skipped: already there as \S+$/m)
  expect(dry.stdout).toContain('1 file, 500 B, 10 units; 3 already there\n')
  const headers = { 'X-Api-Key': rig.emulator.apiKey }
  await fetch(`${rig.baseUrl}/api/uploads/${slugs[0]}`, { method: 'DELETE', headers })
  const { code, stderr } = await rig.upload(['in/p0.jpg', '--progress', 'plain'])
  const told = `in/p0.jpg: its upload ${slugs[0]} is gone from the service\nuploaded in/p0.jpg (500 B)\n`
  expect([code, stderr, rig.stored()]).toEqual([0, told, 3])
})

test('a record that a newer version wrote is refused by name, and left alone: nothing is sent beside it', async () => {
  const rig = await knownRig()
  for (const number of [1, 2]) await rig.write(`in/${number}.jpg`, photo(number))
  await rig.upload(['in/1.jpg', '--force'])
  rig.uploads.run('PRAGMA user_version = 99')
  const before = await readFile(rig.uploads.path)
  const { code, stderr } = await rig.upload(['-r', 'in'])
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/uploads\.db cannot be used: a newer version of fh has written it/),
  ])
  expect(rig.emulator.control.health().uploads).toBe(1)
  expect(await readFile(rig.uploads.path)).toEqual(before)
})

test('an upload runs the key command once', async () => {
  const rig = await knownRig()
  await rig.write('a.jpg', photo(1))
  const keyless = { FH_API_KEY: undefined }
  await rig.fh(['config', 'set', 'base_url', rig.baseUrl], { env: keyless })
  await rig.fh(['config', 'set', 'key_command', `echo run >> runs; echo ${rig.emulator.apiKey}`], { env: keyless })
  const { code } = await rig.upload(['a.jpg'], { FH_API_KEY: undefined, FH_BASE_URL: '' })
  expect([code, await readFile(join(rig.folder, 'runs'), 'utf8')]).toEqual([0, 'run\n'])
})

test('a run without a journal compares its files with each other all the same', async () => {
  const rig = await emulatedRig()
  await rig.write('a.jpg', jpegBytes(300))
  const sent = await rig.fh(['upload', '-j', '1', '--no-journal', 'a.jpg', '-'], { stdin: jpegBytes(300) })
  expect([sent.code, rig.emulator.control.health().uploads]).toEqual([0, 1])
})
