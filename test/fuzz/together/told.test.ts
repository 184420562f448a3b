import { afterAll, expect, test } from 'vitest'
import { createWorkspace } from '../files.ts'
import type { ScenarioFile } from '../scenario.ts'
import { playStory } from './play.ts'
import type { Pace, Story, StoryRun } from './story.ts'

const workspace = createWorkspace()
afterAll(() => workspace.close())

const plain: Story = {
  settings: { dialect: 'spec', changes: { thumbnail: 'never' } },
  changesFiles: false,
  limited: false,
  startAt: Date.UTC(2026, 0, 1),
  skewMs: 0,
  files: [],
  runs: [],
  faults: [],
  pauseMs: 0,
}

const gif = (mark: number, size = 100): ScenarioFile => ({ type: 'gif', size, mark })
const pace = (part: Partial<Pace> = {}): Pace => ({ before: 0, within: 0, after: 0, ...part })
const run = (files: number[], more: Partial<StoryRun> = {}): StoryRun => ({
  startsAt: 0,
  files,
  from: 'path',
  force: false,
  journal: true,
  jobs: 1,
  retries: 3,
  paces: [{ before: 40, within: 40, after: 40 }],
  breaks: [],
  ...more,
})
const page = { type: 'html_error', status: 503 } as const
const cut = { type: 'commit_then_drop' } as const

/** Stories of two and three runs that once ended badly, shrunk. */
const stories: Readonly<Record<string, Partial<Story>>> = {
  'the upload of another run is not taken for one that a page refused': {
    files: [gif(1), gif(2)],
    runs: [run([0]), run([1])],
    faults: [{ on: 'upload', nth: 1, action: page }],
  },
  'one content by a path and by a URL, one stored without an answer, is not given to both': {
    files: [gif(1), { type: 'jpeg', size: 100, mark: 1 }],
    runs: [
      run([1], { force: true, retries: 0, paces: [pace(), pace({ after: 3 })] }),
      run([0, 1], { from: 'url', jobs: 2, retries: 0, paces: [pace({ after: 6_000 }), pace({ before: 700 })] }),
    ],
    faults: [
      { on: 'upload', nth: 1, action: { type: 'reset_after_body_bytes', bytes: 300 } },
      { on: 'upload', nth: 2, action: { type: 'truncate_response', bytes: 0 } },
    ],
  },
  'three files by two runs, the first answer of each lost': {
    files: [gif(1), gif(2), gif(3)],
    runs: [run([0, 1, 2], { jobs: 2 }), run([0, 1, 2], { jobs: 2 })],
    faults: [
      { on: 'upload', nth: 1, action: cut },
      { on: 'upload', nth: 3, action: cut },
    ],
  },
  'a run that is killed and run again while another uploads': {
    files: [gif(1), gif(2)],
    runs: [
      run([0], { breaks: [{ nth: 1, at: 'in its body', how: 'kill -9', torn: false }] }),
      run([1], { startsAt: 40, paces: [{ before: 40, within: 40, after: 6_000 }] }),
      run([0], { startsAt: 700 }),
    ],
  },
  'two --force of one content, one refused by a page': {
    files: [gif(1)],
    runs: [run([0], { force: true }), run([0], { force: true })],
    faults: [{ on: 'upload', nth: 1, action: page }],
  },
  'one killed once stored, the other refused by a page': {
    files: [gif(1), gif(2)],
    runs: [run([0]), run([1], { breaks: [{ nth: 1, at: 'before its answer', how: 'kill -9', torn: false }] })],
    faults: [{ on: 'upload', nth: 1, action: page }],
  },
}

test.each(Object.entries(stories))('%s', async (_, outcome) => {
  const { violations } = await playStory({ ...plain, ...outcome }, workspace)
  expect(violations).toEqual([])
})
