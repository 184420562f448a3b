import { describe, expect, test } from 'vitest'
import type { Fault } from '../../emulator/index.ts'
import { systemClock } from '../../src/clock.ts'
import { type FilledRig, filledRig, lookalike } from '../helpers/lookalike-rig.ts'
import { until } from '../helpers/until.ts'

type Action = Fault['action']

/** A page of something between, which stored nothing. */
const page: Action = { type: 'html_error', status: 503 }
/** Stored, and answered late, in the middle, or never. */
const stored = {
  'answered late': { type: 'slow_body', ms: 400, bytes: 100 },
  'cut after it was stored': { type: 'commit_then_drop' },
} satisfies Record<string, Action>

/** The files behind the links that a run printed. */
async function behind(rig: FilledRig, stdout: string): Promise<readonly Buffer[]> {
  const links = stdout.split('\n').filter((line) => line !== '')
  const answers = links.map((link) => rig.emulator.fetch(new Request(`${link}.jpg`)))
  return Promise.all(answers.map(async (answer) => Buffer.from(await (await answer).arrayBuffer())))
}

/** Two runs: the second begins once the first one's file is stored, while its answer is still awaited. */
async function bothAtOnce(rig: FilledRig, args: readonly (readonly [string, ...string[]])[], ends: readonly Action[]) {
  await rig.lose(...ends)
  const before = rig.stored()
  const runs = args.map((words) => async () => {
    const { code, stdout } = await rig.start(['upload', ...words]).ended
    return { code, stdout, files: await behind(rig, stdout) }
  })
  const first = runs[0]?.()
  await until(() => rig.stored() > before)
  return await Promise.all([first, runs[1]?.()])
}

/** A run that is killed while it is sending a file that comes to this end. */
async function killed(rig: FilledRig, file: string, ...ends: readonly Action[]) {
  await rig.lose(...ends)
  const running = rig.start(['upload', file])
  await until(() => rig.struck() === 1 && (ends[0]?.type === 'delay' || rig.stored() === 1))
  running.child.kill('SIGKILL')
  await running.ended
}

describe('two fh upload at once, with files of one size and type', () => {
  test.each(Object.entries(stored))(
    'a file that was refused by a page never gets the link of the other run’s, which is %s',
    async (_, end) => {
      const rig = await filledRig(2)
      const both = await bothAtOnce(rig, [['p00.jpg'], ['p01.jpg']], [end, page])
      expect(both).toMatchObject([0, 1].map((number) => ({ code: 0, files: [lookalike(number)] })))
      expect(rig.stored()).toBe(2)
    },
  )

  test('a run with --no-journal takes no upload of another run for its own either', async () => {
    const startedAt = systemClock.now()
    // However slow the machine is, the other upload is no older than this run.
    const rig = await filledRig(2, { clock: { ...systemClock, now: () => startedAt } })
    const args = [['p00.jpg'], ['p01.jpg', '--no-journal']] as const
    const both = await bothAtOnce(rig, args, [stored['answered late'], page])
    expect(both).toMatchObject([{ files: [lookalike(0)] }, { code: 8, stdout: '' }])
    const again = await rig.fh(['upload', 'p01.jpg'])
    expect(await behind(rig, again.stdout)).toEqual([lookalike(1)])
  })

  test('an upload of another size, whose run knows it, leaves nothing unknown', async () => {
    const rig = await filledRig(1)
    await rig.write('longer.jpg', lookalike(1, 5_001))
    const both = await bothAtOnce(rig, [['longer.jpg'], ['p00.jpg']], [stored['answered late'], page])
    expect(both.map((run) => run?.files)).toEqual([[lookalike(1, 5_001)], [lookalike(0)]])
  })

  test.each(Object.entries(stored))(
    'of one content that both send with --force each gets an upload of its own, the first one %s',
    async (_, end) => {
      const rig = await filledRig(1)
      const forced = ['p00.jpg', '--force'] as const
      const both = await bothAtOnce(rig, [forced, forced], [end, page])
      expect([...both.map((run) => run?.code), rig.stored()]).toEqual([0, 0, 2])
      expect(both[0]?.stdout).not.toBe(both[1]?.stdout)
    },
  )

  test('a run that was killed leaves its stored file to the next, and another refused at that time is stored once too', async () => {
    const rig = await filledRig(2)
    await killed(rig, 'p00.jpg', { type: 'slow_body', ms: 60_000 }, page)
    await rig.start(['upload', 'p01.jpg']).ended
    const { code, stdout } = await rig.fh(['upload', 'p00.jpg', 'p01.jpg'])
    expect([code, rig.stored()]).toEqual([0, 2])
    expect(await behind(rig, stdout)).toEqual([lookalike(0), lookalike(1)])
  })

  test('the rerun of a run that was killed takes no upload of a run that is going', async () => {
    const rig = await filledRig(3)
    await killed(rig, 'p00.jpg', { type: 'delay', ms: 60_000 })
    const both = await bothAtOnce(rig, [['p01.jpg'], ['p00.jpg']], [stored['answered late']])
    expect(both.map((run) => run?.files)).toEqual([[lookalike(1)], [lookalike(0)]])
    expect(rig.stored()).toBe(2)
  })

  test('the same three files, each cut once for one of two runs, are stored once each', async () => {
    const rig = await filledRig(3)
    await rig.lose(page, page)
    const runs = [0, 1].map(() => rig.start(['upload', ...rig.files]))
    for (const { code, stdout } of await Promise.all(runs.map(({ ended }) => ended))) {
      expect(code).toBe(0)
      expect(await behind(rig, stdout)).toEqual([0, 1, 2].map((number) => lookalike(number)))
    }
    expect(rig.stored()).toBe(3)
  })
})
