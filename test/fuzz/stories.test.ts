import { afterAll, expect, test } from 'vitest'
import { createPlayground } from './files.ts'
import { tell } from './run-scenario.ts'
import type { Plot, PlotFile } from './scenario.ts'

const playground = createPlayground()
afterAll(() => playground.close())

const plain: Plot = {
  settings: { dialect: 'spec', changes: { thumbnail: 'never' } },
  limited: false,
  pacing: 'none',
  startAt: Date.UTC(2026, 0, 1),
  skewMs: 0,
  hasMonotonic: true,
  steps: [],
  tellsDate: true,
  strangers: [],
  files: [],
  jobs: 1,
  retries: 0,
  faults: [],
  breaks: [],
  episodes: [],
  pauses: [],
}

const gif = (mark: number, size = 100): PlotFile => ({ type: 'gif', size, mark })

/** What went wrong once, as short as it could be told. */
const stories: Readonly<Record<string, Partial<Plot>>> = {
  'a deletion that was reported right before the program was killed is known to the next run': {
    files: [gif(1), gif(2, 101), gif(3, 150)],
    breaks: [
      { nth: 3, at: 'before its answer', how: 'two signals', torn: false },
      { nth: 4, at: 'once it is reported', how: 'kill -9', torn: false },
    ],
    pauses: [{ ms: 0, deletes: 0 }],
  },
  'a deletion that succeeds in words that say nothing of it is asked for again': {
    files: [gif(1), gif(2, 101)],
    faults: [
      { nth: 2, action: { type: 'status', status: 422 } },
      { nth: 3, action: { type: 'status', status: 201 } },
    ],
    pauses: [{ ms: 0, deletes: 0 }],
  },
  'what an earlier run stored in the same second is not taken for a file that was lost': {
    files: [{ type: 'jpeg', size: 70_000, mark: 4 }, gif(8), gif(5)],
    retries: 3,
    faults: [
      { nth: 3, action: { type: 'status', status: 401 } },
      { nth: 6, action: { type: 'html_error', status: 502 } },
    ],
    pauses: [{ ms: 0, deletes: 0 }],
  },
  'an upload that is known to be another file is no evidence that files are kept as they are': {
    settings: { dialect: 'spec', changes: { thumbnail: 'never', reencode: true } },
    files: [gif(3, 70_000), gif(10, 108), gif(10)],
    jobs: 2,
    retries: 1,
    breaks: [{ nth: 1, at: 'before its answer', how: 'two signals', torn: true }],
    pauses: [
      { ms: 6_000, deletes: undefined },
      { ms: 100_000, deletes: undefined },
    ],
  },
}

test.each(Object.entries(stories))('%s', async (_, story) => {
  const { violations } = await tell({ ...plain, ...story }, playground)
  expect(violations).toEqual([])
})

test('a list that comes whole and makes no sense is read once more, and tells what became of a file', async () => {
  const faults: Plot['faults'] = [
    { nth: 1, action: { type: 'commit_then_drop' } },
    { nth: 2, action: { type: 'malformed_json' } },
  ]
  const story = await tell({ ...plain, files: [gif(1)], faults }, playground)
  expect(story).toMatchObject({ violations: [], runs: 1, claims: [{ type: 'stored' }] })
})
