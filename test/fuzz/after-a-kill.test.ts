import { afterAll, expect, onTestFinished, test } from 'vitest'
import type { SettingChanges } from '../../emulator/index.ts'
import { fetchTransport } from '../../src/index.ts'
import { createWorkspace } from './files.ts'
import type { Scenario, ScenarioBreak, ScenarioFile } from './scenario.ts'
import { openStage } from './stage.ts'

const workspace = createWorkspace()
afterAll(() => workspace.close())

const startAt = Date.UTC(2026, 0, 1)
const scenario = { pacing: 'none', retries: 3 } as Scenario
const gif = (size: number, mark = 1): ScenarioFile => ({ type: 'gif', size, mark })
const kill = (nth: number, at: ScenarioBreak['at']): ScenarioBreak => ({ nth, at, how: 'kill -9', torn: false })

/** The file that is in flight when a run is killed, another of its size, and others. */
const files = [gif(100), gif(100, 2), gif(101), gif(108), gif(150), gif(70_000)]
const [cat = '', twin = '', ...others] = workspace.paths(files)

/** Runs of one state folder, in virtual time, each as if it were a process of its own. */
async function rig(changes: SettingChanges = {}) {
  const settings = { dialect: 'spec', changes: { thumbnail: 'never', ...changes } } as const
  const { clock, emulator, run } = await openStage({ startAt, limited: false, settings, files }, workspace)
  onTestFinished(() => emulator.close())
  const service = fetchTransport(emulator.fetch)
  const { sleep } = clock.skewed(() => 0, true)

  /**
   * @param planned a kill, counted by the requests of this run, or a signal a virtual second after a note, however busy
   *   the machine is
   */
  async function upload(paths: readonly string[], planned?: ScenarioBreak | { readonly interruptsAfter: RegExp }) {
    const since = emulator.control.requests.list().requests.length
    const beganAt = clock.service.now()
    const notes: string[] = []
    let requests = 0
    const work = run(['upload', '--jobs', '2', ...paths], {
      scenario,
      clock: clock.skewed(() => 0, true),
      transport: { send: (request) => clock.busyWith(service.send(request)) },
      onRequest() {
        requests += 1
        return planned && 'nth' in planned && requests === planned.nth ? planned : undefined
      },
      onEvent(event, interrupt) {
        if (event.type !== 'note') return
        notes.push(event.text)
        const isDue = planned && 'interruptsAfter' in planned && planned.interruptsAfter.test(event.text)
        if (isDue) void sleep(1_000).then(interrupt)
      },
    })
    await clock.passUntil(work)
    const { records, end } = await work
    const sent = emulator.control.requests.list().requests.slice(since)
    /** Milliseconds after the start of the run at which each file was sent. */
    const posts = sent.flatMap(({ file, at }) => (file ? [[file.name, Date.parse(at) - beganAt] as const] : []))
    const statuses = paths.map((_, index) => records.get(index)?.status)
    return { end, notes, posts: new Map(posts), sent, statuses, error: records.get(0)?.error }
  }

  const stored = () => emulator.control.health().uploads
  return { upload, stored }
}

const nameOf = (path: string) => path.replace(/^.*\//, '')
const all = [cat, twin, ...others]
const SETTLES_MS = 5_000
const checksEarlier = expect.stringMatching(/ being sent when an earlier run ended: checking whether /)

// First, with a run that takes every way: what it loads takes real time, in which virtual time would pass in the tests that measure it.
test('what a kill left in flight is not asked for where no file of the batch can be it', async () => {
  const whole = await rig()
  await whole.upload([cat], kill(1, 'in its body'))
  await whole.upload(all)
  const { upload } = await rig()
  await upload([cat], kill(1, 'in its body'))
  const { notes, sent } = await upload(others)
  expect([notes, sent.map(({ method }) => method)]).toEqual([[], others.map(() => 'POST')])
  expect((await upload([cat])).notes).toEqual([checksEarlier])
})

test('after a kill, files that cannot be the one in flight are sent at once; that one and its twin wait for the list', async () => {
  const { upload, stored } = await rig()
  expect((await upload([cat], kill(1, 'in its body'))).end).toBe('killed')
  const { posts, statuses, notes, sent } = await upload(all)
  expect(statuses).toEqual(all.map(() => 'uploaded'))
  expect(notes).toEqual([checksEarlier])
  for (const path of others) expect(posts.get(nameOf(path)), path).toBeLessThan(1_000)
  for (const path of [cat, twin]) expect(posts.get(nameOf(path)), path).toBeGreaterThanOrEqual(SETTLES_MS)
  expect(sent.filter(({ method }) => method === 'GET')).toHaveLength(2)
  expect(stored()).toBe(all.length)
})

test.each([
  ['stored before, but listed late, is not sent again', { visible_after_ms: 3_000 }, 'before its answer', 'skipped'],
  ['cut off by the kill is sent, also to a service that changes files', { reencode: true }, 'in its body', 'uploaded'],
] as const)('a file %s', async (_, settings, at, status) => {
  const { upload, stored } = await rig(settings)
  await upload([cat], kill(1, at))
  const { posts, statuses } = await upload(all)
  expect(statuses).toEqual([status, ...all.slice(1).map(() => 'uploaded')])
  expect(posts.has(nameOf(cat))).toBe(status === 'uploaded')
  expect(stored()).toBe(all.length)
})

test('an interrupt during the wait leaves the file in flight for the next run, which finds out', async () => {
  const { upload, stored } = await rig()
  await upload([cat], kill(1, 'in its body'))
  const stopped = await upload([cat, ...others], { interruptsAfter: /: checking whether / })
  expect([stopped.statuses[0], stopped.error?.code]).toEqual(['not_started', 'not-started'])
  expect(stopped.posts.has(nameOf(cat))).toBe(false)
  expect((await upload(all)).statuses).not.toContain('failed')
  expect(stored()).toBe(all.length)
})
