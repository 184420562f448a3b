import { expect, test } from 'vitest'
import { type BatchPlan, runBatch } from '../../../../src/cli/batch/batch.ts'

function plan(changes: Partial<BatchPlan<number, string>> = {}): BatchPlan<number, string> {
  return {
    items: [1, 2, 3, 4],
    jobs: 2,
    stopping: new AbortController().signal,
    work: async (item) => `done ${item}`,
    continues: () => true,
    notStarted: (item) => `left ${item}`,
    onResult: () => {},
    ...changes,
  }
}

test('a batch processes no more items at a time than it has jobs', async () => {
  const working = new Set<number>()
  const work = async (item: number) => {
    expect(working.add(item).size).toBeLessThan(4)
    await Promise.resolve()
    working.delete(item)
    return `done ${item}`
  }
  await runBatch(plan({ jobs: 3, work }))
})

test('a held item lets all others start first, and starts in its place once it is free', async () => {
  const started: number[] = []
  const work = async (item: number) => `done ${started.push(item) && item}`
  const isHeld = (item: number) => item === 1 || (item === 2 && started.length === 0)
  expect(await runBatch(plan({ jobs: 1, work, isHeld }))).toEqual(['done 1', 'done 2', 'done 3', 'done 4'])
  expect(started).toEqual([3, 2, 4, 1])
  started.length = 0
  await runBatch(plan({ jobs: 1, work, isHeld: (item) => item < 3 && started.length === 0 }))
  expect(started).toEqual([3, 1, 2, 4])
})
