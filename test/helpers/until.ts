import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** Resolves once this holds, however long that takes: a fact that nothing tells of has to be looked for. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  let isOver = false
  onTestFinished(() => {
    isOver = true
  })
  while (!isOver && !(await holds())) await sleep(5)
}
