import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Fault } from '../../emulator/index.ts'
import { createClient, fetchTransport } from '../../src/index.ts'
import { type EmulatorOptions, emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes } from '../helpers/media.ts'
import { hurried } from '../helpers/preload.ts'
import { until } from '../helpers/until.ts'
import { uploadsDb } from '../helpers/uploads-db.ts'

type FilledRig = Awaited<ReturnType<typeof filledRig>>

/** Files of one size and type that differ in their last byte. */
function lookalike(number: number): Buffer {
  const bytes = jpegBytes(5_000)
  bytes[4_999] = number
  return bytes
}

/** A folder of such files, p00.jpg and so on, and an emulator for programs. */
async function filledRig(count: number, options: EmulatorOptions = {}) {
  // The list is read again after 5 s.
  const rig = await emulatedRig({ ...options, env: hurried })
  const { control } = rig.emulator
  const files = Array.from({ length: count }, (_, index) => `p${String(index).padStart(2, '0')}.jpg`)
  for (const [index, file] of files.entries()) await rig.write(file, lookalike(index))
  const stranger = createClient({
    baseUrl: rig.baseUrl,
    apiKey: rig.emulator.apiKey,
    pacing: false,
    transport: fetchTransport(rig.emulator.fetch),
  })
  return {
    ...rig,
    files,
    stored: () => control.health().uploads,
    views: async () => (await stranger.stats()).total_views,
    lose: (...actions: readonly Fault['action'][]) =>
      control.faults.set(actions.map((action) => ({ match: { method: 'POST', path: '/api/upload' }, action }))),
    struck: () => control.faults.list().reduce((sum, { struck }) => sum + struck, 0),
    open: async () => uploadsDb(rig.home).open().length,
  }
}

/** The answer comes too late: the upload is stored when the run is killed. */
const unheard = { type: 'slow_body', ms: 60_000 } as const
/** The service does not serve a client that leaves first: the upload is not stored. */
const unserved = { type: 'delay', ms: 60_000 } as const

/** Two runs that send side by side: each compares the contents of its files, which have one size, before it sends. */
const halves = ({ files }: FilledRig) => [files.slice(0, files.length / 2), files.slice(files.length / 2)]
const firsts = (rig: FilledRig) => halves(rig).map(([first = '']) => first)

/** Starts a run for each group of files, and kills them while each is sending a file that comes to this end. */
async function kill(
  rig: FilledRig,
  groups: readonly (readonly string[])[],
  ends: readonly Fault['action'][],
  env: Readonly<Record<string, string>> = {},
) {
  const before = rig.stored()
  await rig.lose(...ends)
  const runs = groups.map((files) => rig.start(['upload', '-j', '1', ...files], { env }))
  const stored = ends.filter(({ type }) => type === 'slow_body').length
  await until(() => rig.struck() === ends.length && rig.stored() - before >= stored)
  for (const { child } of runs) child.kill('SIGKILL')
  await Promise.all(runs.map(({ ended }) => ended))
  await rig.lose()
}

describe('lost uploads of one size and type', () => {
  test('twelve of them are all stored once after four kills in a row, with a link each and no view counted', async () => {
    const rig = await filledRig(12)
    // Stored or not, of each of the two runs.
    for (const ends of ['ss', 'su', 'uu', 'us']) {
      const actions = [...ends].map((end) => (end === 's' ? unheard : unserved))
      await kill(rig, halves(rig), actions)
    }
    const { code, stdout, stderr } = await rig.fh(['upload', ...rig.files])
    expect(stderr).toMatch(
      /(was|were) being sent when an earlier run ended: checking whether (it was|they were) stored \(5 s\)\n/,
    )
    expect(code).toBe(0)
    expect(new Set(stdout.trimEnd().split('\n')).size).toBe(12)
    expect([rig.stored(), await rig.views()]).toEqual([12, 0])
  })

  test('two lost uploads of one content each take one of two stored ones', async () => {
    const rig = await filledRig(1)
    const forced = [...rig.files, '--force']
    await kill(rig, [forced, forced], [unheard, unheard])
    expect([rig.stored(), await rig.open()]).toEqual([2, 2])
    const { code, stdout } = await rig.fh(['upload', ...rig.files])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^http\S+\n$/)])
    expect([rig.stored(), await rig.open(), await rig.views()]).toEqual([2, 0, 0])
  })

  test('a lost file that came from standard input is recognised when it comes again', async () => {
    const rig = await filledRig(2)
    const piped = { stdin: lookalike(77) }
    // So it is known that the service keeps files as they are.
    await rig.fh(['upload', ...rig.files.slice(1)])
    await rig.lose(unserved, unheard)
    const runs = [rig.start(['upload', ...rig.files])]
    await until(() => rig.struck() === 1)
    runs.push(rig.start(['upload', '-', '--name', 'in.jpg'], piped))
    await until(() => rig.stored() === 2)
    for (const { child } of runs) child.kill('SIGKILL')
    await Promise.all(runs.map(({ ended }) => ended))
    await rig.lose()
    const again = await rig.fh(['upload', '-', ...rig.files, '--name', 'in.jpg'], piped)
    expect([again.code, rig.stored(), await rig.views()]).toEqual([0, 3, 0])
  })

  test('a file that was sent is unknown where the site cannot be asked, and the next run finds it', async () => {
    const rig = await filledRig(1)
    const ca = join(rig.folder, 'ca.pem')
    await writeFile(ca, await readFile('test/fixtures/tls/certificate.pem'))
    await rig.lose(unheard)
    const run = rig.start(['upload', ...rig.files, '--ca-cert', ca, '--timeout', '1'])
    await until(() => rig.stored() === 1)
    await rm(ca)
    const { code, stderr } = await run.ended
    expect([code, stderr]).toEqual([8, expect.stringContaining('may have been stored')])
    await rig.lose()
    expect([(await rig.fh(['upload', ...rig.files])).code, rig.stored()]).toEqual([0, 1])
  })

  test('a service that re-encodes files leaves them unknown, and its files are not looked at', async () => {
    const rig = await filledRig(4, { settings: { reencode: true } })
    await kill(rig, halves(rig), [unheard, unheard])
    const { code, stderr } = await rig.fh(['upload', ...firsts(rig), '--debug'])
    expect([code, rig.stored()]).toEqual([8, 2])
    expect(stderr).not.toMatch(/^> GET \S*\/i\//m)
  })
})

/** The files behind the links that a run printed. */
async function behind(rig: FilledRig, stdout: string): Promise<readonly Buffer[]> {
  const links = stdout.split('\n').filter((line) => line !== '')
  const answers = links.map((link) => rig.emulator.fetch(new Request(`${link}.jpg`)))
  return Promise.all(answers.map(async (answer) => Buffer.from(await (await answer).arrayBuffer())))
}

// test/fuzz/regressions.test.ts has more stories of runs at once, in one process and virtual time.
describe('two fh upload at once, with files of one size and type', () => {
  test('the rerun of a run that was killed takes no upload of a run that is going', async () => {
    const rig = await filledRig(3)
    await rig.lose({ type: 'delay', ms: 60_000 })
    const killed = rig.start(['upload', 'p00.jpg'])
    await until(() => rig.struck() === 1)
    killed.child.kill('SIGKILL')
    await killed.ended
    await rig.lose({ type: 'slow_body', ms: 400, bytes: 100 })
    const other = rig.start(['upload', 'p01.jpg'])
    await until(() => rig.stored() === 1)
    const again = await rig.start(['upload', 'p00.jpg']).ended
    const files = [await behind(rig, (await other.ended).stdout), await behind(rig, again.stdout)]
    expect([files, rig.stored()]).toEqual([[[lookalike(1)], [lookalike(0)]], 2])
  })

  test('the same three files, each cut once for one of two runs, are stored once each', async () => {
    const rig = await filledRig(3)
    // A page of something between, which stored nothing.
    await rig.lose(...Array(2).fill({ type: 'html_error', status: 503 }))
    const runs = [0, 1].map(() => rig.start(['upload', ...rig.files]))
    for (const { code, stdout } of await Promise.all(runs.map(({ ended }) => ended))) {
      expect(code).toBe(0)
      expect(await behind(rig, stdout)).toEqual([0, 1, 2].map((number) => lookalike(number)))
    }
    expect(rig.stored()).toBe(3)
  })
})
