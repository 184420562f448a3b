import { readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Fault } from '../../emulator/index.ts'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes } from '../helpers/media.ts'
import { hurried } from '../helpers/preload.ts'
import { jsonLines } from '../helpers/rig.ts'
import { until } from '../helpers/until.ts'
import { uploadsDb } from '../helpers/uploads-db.ts'

/** Limits belong to the service: without them here nothing waits for a count. */
const uncounted = { FH_LIMITS: 'none' }

type FaultMatch = Fault['match'] & { readonly times?: number }

async function filledRig(count: number) {
  const rig = await emulatedRig()
  const { control } = rig.emulator
  const files = Array.from({ length: count }, (_, index) => `p${String(index).padStart(2, '0')}.jpg`)
  for (const [index, file] of files.entries()) await rig.write(file, jpegBytes(1_000 + index))
  const start = (args: readonly string[] = files, env = {}) =>
    rig.start(['upload', ...args], { env: { ...uncounted, ...env } })
  const struck = () => control.faults.list().reduce((sum, fault) => sum + fault.struck, 0)
  const fault = (action: Fault['action'], { times = 1, ...match }: FaultMatch = {}) =>
    control.faults.add({ match: { method: 'POST', path: '/api/upload', ...match }, times, action })
  return {
    ...rig,
    control,
    files,
    start,
    struck,
    fault,
    upload: (args: readonly string[] = files, env: Record<string, string> = {}) =>
      rig.fh(['upload', ...args], { env: { ...uncounted, ...env } }),
    /** Starts an upload that stays without an answer, which a kill ends. */
    async unanswered(action: 'not stored' | 'stored') {
      fault({ type: action === 'stored' ? 'slow_body' : 'delay', ms: 60_000 })
      const running = start()
      await until(() => struck() === 1 && (action === 'not stored' || control.health().uploads === 1))
      return async () => {
        running.child.kill('SIGKILL')
        await running.ended
      }
    },
    uploads: uploadsDb(rig.home),
    stored: () => control.health().uploads,
    posts: () => control.requests.list({ method: 'POST' }).requests.length,
  }
}

const statuses = (stdout: string) => JSON.parse(stdout).map(({ status }: { status: string }) => status)

test('after kill -9 the same command continues: nothing is lost and nothing stored twice', async () => {
  const rig = await filledRig(30)
  rig.fault({ type: 'delay', ms: 40 }, { times: 1_000 })
  const first = rig.start()
  await first.printed('stdout', /(.*\n){8}/)
  first.child.kill('SIGKILL')
  const cut = await first.ended
  const again = await rig.upload()
  expect(again.code).toBe(0)
  expect(again.stderr).toMatch(/^skipped p00\.jpg: already there as \S+ \(p00\.jpg, uploaded just now\)$/m)
  const links = again.stdout.trimEnd().split('\n')
  expect(new Set(links).size).toBe(30)
  expect(links.slice(0, 8)).toEqual(cut.stdout.split('\n').slice(0, 8))
  expect(rig.stored()).toBe(30)
})

test('after kill -9 before the answer, the same command finds the stored file in the list', async () => {
  const rig = await filledRig(1)
  const kill = await rig.unanswered('stored')
  await kill()
  const { code, stdout, stderr } = await rig.upload([...rig.files, '--json'])
  expect(stderr).toBe('')
  expect([code, JSON.parse(stdout)]).toMatchObject([0, [{ status: 'skipped', error: null, upload: { size: 1_000 } }]])
  expect([rig.stored(), rig.posts()]).toEqual([1, 1])
})

const looksFirst = 'fh looks for it first\n'

/** A rig whose service stores each file with another size than the one that was sent, so that the list proves nothing. */
async function reencodingRig() {
  const rig = await filledRig(1)
  rig.control.settings.update({ reencode: true })
  rig.fault({ type: 'commit_then_drop' })
  return { ...rig, links: async () => (await rig.fh(['list'])).stdout.match(/http\S+/g)?.toReversed() ?? [] }
}

test('an upload that nothing proves is named with its link by each run, and --force sends it', async () => {
  const rig = await reencodingRig()
  const first = await rig.upload(rig.files, hurried)
  const [link = ''] = await rig.links()
  const open = 'Open it: if it is your file, you are done; if not: fh upload --force p00.jpg\n'
  const says = (what: string) => `fh: p00.jpg: ${what}. It is probably ${link}\n  ${open}`
  expect(first.stderr).toBe(says('The connection broke after the file was sent'))
  const again = await rig.upload(rig.files, hurried)
  expect(again.stderr).toContain(says('An earlier run may have stored it'))
  const { stdout } = await rig.upload([...rig.files, '--json'], hurried)
  expect(JSON.parse(stdout)).toMatchObject([{ error: { message: expect.stringContaining(link) } }])
  const forced = await rig.upload([...rig.files, '--force'])
  expect([first.code, again.code, forced.code, rig.stored()]).toEqual([8, 8, 0, 2])
})

test('of several uploads that may be a file from standard input all links are named', async () => {
  const rig = await reencodingRig()
  rig.fault({ type: 'status', status: 500, body: {} }, { method: 'GET', path: '/api/uploads' })
  const piped = async () => {
    const env = { ...uncounted, ...hurried }
    return await rig.fh(['upload', '-', '--retries', '0'], { stdin: jpegBytes(2_000), env })
  }
  expect((await piped()).stderr).toContain(`again: ${looksFirst}`)
  rig.control.accounts.addUploads(1, { count: 2, mime_type: 'image/jpeg' })
  const { code, stderr } = await piped()
  const links = (await rig.links()).join(', ')
  expect([code, stderr]).toEqual([8, expect.stringContaining(`. It is probably one of ${links}\n  Open them: `)])
  expect(stderr).toMatch(/if one is your file, you are done; if not: fh upload --force -\n/)
})

test.each<[string, readonly string[], string]>([
  ['the same command helps', [], `Run the same command again: ${looksFirst}`],
  ['the same command does not', ['--force'], `Run the same command again without --force: ${looksFirst}`],
  ['no command does', ['--no-journal'], 'Look for it with fh list before you upload it again\n'],
])(
  'after an unknown outcome, with a list that cannot be read, the hint is the one that helps: %s',
  async (_, flags, hint) => {
    const rig = await filledRig(1)
    rig.fault({ type: 'commit_then_drop' })
    rig.fault({ type: 'status', status: 500, body: {} }, { method: 'GET', path: '/api/uploads', times: 1_000 })
    const { code, stderr } = await rig.upload([...rig.files, '--retries', '0', ...flags])
    expect([code, stderr]).toEqual([8, expect.stringContaining(`\n  ${hint}`)])
  },
)

test('after a partly failed run, the same command tries only the failed files again, and then none', async () => {
  const rig = await filledRig(3)
  const args = [...rig.files, 'late.jpg']
  expect((await rig.upload(args)).code).toBe(3)
  await rig.write('late.jpg', jpegBytes(5_000))
  const again = await rig.upload([...args, '--json'])
  expect([again.code, statuses(again.stdout)]).toEqual([0, ['skipped', 'skipped', 'skipped', 'uploaded']])
  expect(await rig.upload(args)).toMatchObject({ code: 0, stderr: expect.stringContaining('4 skipped\n') })
  expect([rig.stored(), rig.posts()]).toEqual([4, 4])
})

test('a changed file is uploaded, and a moved one is skipped', async () => {
  const rig = await filledRig(2)
  await rig.upload()
  await rig.write('p00.jpg', jpegBytes(1_000).fill(0x21, 4))
  await rig.write('moved.jpg', await readFile(join(rig.folder, 'p01.jpg')))
  const { stderr } = await rig.upload(['p00.jpg', 'moved.jpg'])
  expect(stderr).toMatch(/^1 uploaded.*, 1 skipped\n/m)
  expect(stderr).toMatch(/^skipped moved\.jpg: already there as \S+ \(p01\.jpg, uploaded just now\)$/m)
})

test('--force uploads again, and the next run skips the file with the newer upload', async () => {
  const rig = await filledRig(1)
  await rig.upload()
  const forced = await rig.upload([...rig.files, '--force', '--progress', 'plain'])
  expect(forced.stderr).toMatch(/^uploaded/)
  const again = await rig.upload()
  expect([again.stdout, again.stderr]).toEqual([forced.stdout, expect.stringMatching(/^skipped/)])
  expect(rig.stored()).toBe(2)
})

test.each([
  ['is sent', 'not stored', /^uploaded p00\.jpg /m],
  ['is not sent', 'stored', /^skipped p00\.jpg: already there as .*$/m],
] as const)('a file %s by the command that waited for a killed one, which had it %s', async (_, end, said) => {
  const rig = await filledRig(1)
  const kill = await rig.unanswered(end)
  const second = rig.start([...rig.files, '--progress', 'plain'], hurried)
  await second.printed('stderr', /waiting for process/)
  await kill()
  const { code, stderr } = await second.ended
  expect([code, rig.stored(), stderr]).toEqual([0, 1, expect.stringMatching(said)])
})

const day = 86_400_000
const times = { old: new Date(Date.now() - day), new: new Date(Date.now() + day) }

test.each<[string, Date, change: (path: string) => Promise<void>, word: string]>([
  ['whose time is in the future', times.new, async () => {}, 'skipped'],
  ['that got another time since', times.old, (path) => utimes(path, times.new, times.new), 'skipped'],
  ['that got other bytes since', times.old, (path) => writeFile(path, jpegBytes(1_000).fill(7, 500)), 'uploaded'],
])('after kill -9 before the answer, a file %s is sent again only if its content differs', async (_, ...row) => {
  const [time, change, word] = row
  const rig = await filledRig(1)
  const path = join(rig.folder, 'p00.jpg')
  await utimes(path, time, time)
  const kill = await rig.unanswered('stored')
  await kill()
  await change(path)
  const { code, stderr } = await rig.upload([...rig.files, '--progress', 'plain'], hurried)
  expect([code, stderr, rig.stored()]).toEqual([0, expect.stringContaining(`${word} `), word === 'skipped' ? 1 : 2])
})

test('the record is readable only by its owner, and contains neither key nor needless data', async () => {
  const rig = await filledRig(1)
  await rig.upload()
  expect((await stat(rig.uploads.path)).mode & 0o777).toBe(0o600)
  expect(await readFile(rig.uploads.path, 'latin1')).not.toContain(rig.emulator.apiKey)
  expect(rig.uploads.rows('SELECT name FROM upload')).toEqual([{ name: 'p00.jpg' }])
  expect(rig.uploads.rows('SELECT * FROM item')).toEqual([])
})

test('a record that cannot be written causes a warning, and the upload continues', async () => {
  const rig = await filledRig(1)
  await writeFile(join(rig.home, 'taken'), '')
  const { code, stdout, stderr } = await rig.upload(rig.files, { FH_STATE_DIR: join(rig.home, 'taken') })
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^http/)])
  expect(stderr).toMatch(
    /^fh: warning: The uploads of this run will not be remembered: .*taken\/uploads\.db cannot be used: .*\n {2}Set FH_STATE_DIR/,
  )
})

test('a batch stops when the key is refused midway', async () => {
  const rig = await filledRig(6)
  rig.fault({ type: 'status', status: 401, body: { error: 'No.' } }, { nth: 3 })
  const { code, stdout } = await rig.upload([...rig.files, '-j', '1', '--json'])
  const ends = ['uploaded', 'uploaded', 'failed', 'not_started', 'not_started', 'not_started']
  expect([code, statuses(stdout)]).toEqual([3, ends])
  expect(rig.posts()).toBe(3)
  expect((await rig.upload()).stderr).toMatch(/^4 uploaded.*, 2 skipped\n/m)
})

test('a batch ends with 5 if the API stays disabled longer than --max-wait, and so do later runs until then', async () => {
  const rig = await filledRig(4)
  rig.control.settings.update({ api_enabled: false, unavailable_retry_after: 60 })
  const { code, stdout } = await rig.upload([...rig.files, '--max-wait', '1s', '--json'])
  expect(code).toBe(5)
  expect(statuses(stdout)).toEqual(Array(4).fill(expect.stringMatching(/^(failed|not_started)$/)))
  const sent = rig.posts()
  expect(sent).toBeLessThanOrEqual(2)
  rig.control.settings.update({ api_enabled: true })
  // The hold is in the shared count: a second run sends nothing before it is over, or forgotten.
  const second = await rig.upload([...rig.files, '--max-wait', '1s'])
  expect([second.code, rig.posts()]).toEqual([5, sent])
  expect((await rig.fh(['quota', '--reset'])).code).toBe(0)
  expect((await rig.upload([...rig.files, '--progress', 'none'])).stderr).toContain('4 uploaded\n')
})

test('upload -n names refused files and files of an earlier run, sends nothing and does not change the record', async () => {
  const rig = await filledRig(2)
  await rig.upload(['p00.jpg', 'gone.jpg'])
  await rig.write('note.txt', 'text')
  const before = await readFile(rig.uploads.path)
  const { code, stdout, stderr } = await rig.upload(['-n', '--json', 'p00.jpg', 'p01.jpg', 'note.txt'])
  expect(code).toBe(3)
  expect(JSON.parse(stdout)).toMatchObject({
    files: [
      { file: 'p00.jpg', status: 'skipped', slug: expect.any(String), upload: { size: 1_000 } },
      { file: 'p01.jpg', status: 'planned', size: 1_001, mime_type: 'image/jpeg' },
      { file: 'note.txt', status: 'failed', error: { code: 'source-unsupported-type', exit_code: 2 } },
    ],
    count: 1,
    bytes: 1_001,
    units: 10,
    parts: [{ first: 1, count: 1, waits_for: null, paced_by: null }],
  })
  expect(jsonLines(stderr)).toMatchObject([{ type: 'error', file: 'note.txt' }])
  expect((await rig.upload(['-n', 'note.txt'])).code).toBe(2)
  expect([rig.posts(), await readFile(rig.uploads.path)]).toEqual([1, before])
})

test('a batch in which a file fails for want of a connection says that the same command goes on, and it does', async () => {
  const rig = await filledRig(3)
  const args = [...rig.files, '--retries', '0']
  const goesOn = 'Run the same command again to continue\n'
  rig.fault({ type: 'reset_before' }, { nth: 1 })
  const failed = await rig.upload(args)
  expect([failed.code, failed.stderr.endsWith(goesOn)]).toEqual([5, true])
  const again = await rig.upload(args)
  expect([again.code, rig.stored(), again.stderr.includes(goesOn)]).toEqual([0, 3, false])
})
