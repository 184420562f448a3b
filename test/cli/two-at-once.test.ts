import { describe, expect, test } from 'vitest'
import type { Fault } from '../../emulator/index.ts'
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

const upload = (rig: FilledRig, file: string, ...flags: readonly string[]) => rig.start(['upload', file, ...flags])

/** The files behind the links that a run printed. */
async function behind(rig: FilledRig, stdout: string): Promise<readonly Buffer[]> {
  const links = stdout.split('\n').filter((line) => line !== '')
  return await Promise.all(
    links.map(async (link) => {
      const answer = await rig.emulator.fetch(new Request(`${link}.jpg`))
      return Buffer.from(await answer.arrayBuffer())
    }),
  )
}

/** Two runs: the second begins once the first one's file is stored, while its answer is still awaited. */
async function bothAtOnce(
  rig: FilledRig,
  [first, second]: readonly [readonly string[], readonly string[]],
  ends: readonly Action[],
) {
  await rig.lose(...ends)
  const before = rig.stored()
  const runs = [rig.start(['upload', ...first])]
  await until(() => rig.stored() > before)
  runs.push(rig.start(['upload', ...second]))
  return await Promise.all(runs.map(({ ended }) => ended))
}

describe('two fh upload at once, with files of one size and type', () => {
  test.each(Object.entries(stored))(
    'a file that was refused by a page never gets the link of the other run’s, which is %s',
    async (_, end) => {
      const rig = await filledRig(2)
      const [y, x] = await bothAtOnce(rig, [['p00.jpg'], ['p01.jpg']], [end, page])
      expect(await behind(rig, y?.stdout ?? '')).toEqual([lookalike(0)])
      expect(await behind(rig, x?.stdout ?? '')).toEqual([lookalike(1)])
      expect([y?.code, x?.code, rig.stored()]).toEqual([0, 0, 2])
    },
  )

  test('a run with --no-journal takes no upload of another run for its own either', async () => {
    const rig = await filledRig(2)
    const [y, x] = await bothAtOnce(rig, [['p00.jpg'], ['p01.jpg', '--no-journal']], [stored['answered late'], page])
    expect(await behind(rig, y?.stdout ?? '')).toEqual([lookalike(0)])
    expect([x?.code, x?.stdout]).toEqual([8, ''])
    const again = await rig.fh(['upload', 'p01.jpg'])
    expect(await behind(rig, again.stdout)).toEqual([lookalike(1)])
  })

  test('an upload of another size, whose run knows it, leaves nothing unknown', async () => {
    const rig = await filledRig(1)
    await rig.write('longer.jpg', lookalike(1, 5_001))
    const [y, x] = await bothAtOnce(rig, [['longer.jpg'], ['p00.jpg']], [stored['answered late'], page])
    expect(await behind(rig, y?.stdout ?? '')).toEqual([lookalike(1, 5_001)])
    expect(await behind(rig, x?.stdout ?? '')).toEqual([lookalike(0)])
  })

  test.each(Object.entries(stored))(
    'of one content that both send with --force each gets an upload of its own, the first one %s',
    async (_, end) => {
      const rig = await filledRig(1)
      const [one, other] = await bothAtOnce(
        rig,
        [
          ['p00.jpg', '--force'],
          ['p00.jpg', '--force'],
        ],
        [end, page],
      )
      expect([one?.code, other?.code, rig.stored()]).toEqual([0, 0, 2])
      expect(one?.stdout).not.toBe(other?.stdout)
    },
  )

  test('a run that was killed leaves its stored file to the next, and another refused at that time is stored once too', async () => {
    const rig = await filledRig(2)
    await rig.lose({ type: 'slow_body', ms: 60_000 }, page)
    const killed = upload(rig, 'p00.jpg')
    await until(() => rig.stored() === 1)
    killed.child.kill('SIGKILL')
    await killed.ended
    await upload(rig, 'p01.jpg').ended
    const { code, stdout } = await rig.fh(['upload', 'p00.jpg', 'p01.jpg'])
    expect([code, rig.stored()]).toEqual([0, 2])
    expect(await behind(rig, stdout)).toEqual([lookalike(0), lookalike(1)])
  })

  test('the rerun of a run that was killed takes no upload of a run that is going', async () => {
    const rig = await filledRig(3)
    await rig.lose({ type: 'delay', ms: 60_000 })
    const killed = upload(rig, 'p00.jpg')
    await until(() => rig.struck() === 1)
    killed.child.kill('SIGKILL')
    await killed.ended
    const [going, rerun] = await bothAtOnce(
      rig,
      [['p01.jpg'], ['p00.jpg']],
      [{ type: 'slow_body', ms: 400, bytes: 100 }],
    )
    expect(await behind(rig, going?.stdout ?? '')).toEqual([lookalike(1)])
    expect(await behind(rig, rerun?.stdout ?? '')).toEqual([lookalike(0)])
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
