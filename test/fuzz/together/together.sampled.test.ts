import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { takesLong } from '../../helpers/takes-long.ts'
import { sampledRuns } from '../../sampling/sample.ts'
import { createWorkspace } from '../files.ts'
import { playStory } from './play.ts'
import { stories } from './story.ts'

const workspace = createWorkspace()
afterAll(() => workspace.close())

test(
  'no file is lost, stored twice, mixed up or wrongly reported by two or three runs at once, whatever strikes them',
  takesLong(300, '100 stories, or as many as RUNS says'),
  async () => {
    await fc.assert(
      fc.asyncProperty(stories, async (story) => {
        const { violations } = await playStory(story, workspace)
        expect(violations).toEqual([])
      }),
      sampledRuns(100, 15),
    )
  },
)
