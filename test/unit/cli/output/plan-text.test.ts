import { expect, test } from 'vitest'
import { makePlan, type PlannedFile, planLines } from '../../../../src/cli/output/plan-text.ts'

const now = Date.parse('2026-11-21T06:30:00')
const planned = { status: 'planned', mime_type: 'image/jpeg', upload: null, error: null } as const
const files: readonly PlannedFile[] = [
  { ...planned, file: 'a.jpg', size: 83 },
  { ...planned, file: 'longer.jpg', size: 1_048_576 * 12 },
]
const part = { first: 0, count: 2, waitsFor: 'burst', pacedBy: null } as const

test.each([
  ['one time if it begins and ends in the same minute', 360_000, 370_000, 'all: at 06:36, after the burst quota'],
  ['both times if they differ', 360_000, 420_000, 'all: from 06:36 to 06:37, after the burst quota'],
  ['now if it begins at once, and what paces it', 0, 70_000, 'all: now to 06:31, paced by the burst quota'],
])('a part of a plan is shown with %s', (_, start, end, line) => {
  const by = start === 0 ? ({ waitsFor: null, pacedBy: 'burst' } as const) : {}
  const plan = makePlan(files, [{ ...part, ...by, startsAt: now + start, endsAt: now + end }])
  expect(planLines(plan, now)).toContain(line)
})

test('a plan has sizes in a column, and its end only where a quota or a rate decides it', () => {
  const parts = [{ ...part, waitsFor: null, startsAt: now, endsAt: now + 960_000 }]
  const sized = ['a.jpg        83 B  image/jpeg', 'longer.jpg  12 MB  image/jpeg']
  expect(planLines(makePlan(files, parts, 1_536_000), now)).toEqual([
    ...sized,
    '2 files, 12.0 MB, 20 units; at most 1.5 MB/s',
    'all: now to 06:46',
    'done 06:46, 16 min from now',
  ])
  const plan = makePlan(files, parts)
  expect(plan).toMatchObject({ done_at: null, parts: [{ ends_at: null }] })
  const sum = '2 files, 12.0 MB, 20 units'
  expect(planLines(plan, now)).toEqual([...sized, sum, 'all: now, as fast as the network allows'])
})
