import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** Resolves once this holds, looking every 5 ms: for facts that no event reports. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  let isOver = false
  onTestFinished(() => {
    isOver = true
  })
  while (!isOver && !(await holds())) await sleep(5)
}
