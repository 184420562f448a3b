import type { TestProject } from 'vitest/node'
import { ownFolder, type Started, workingChromium } from './chromium.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Null if this machine has no Chromium. */
    readonly chromium: Started | null
  }
}

/** Finds a Chromium once for all browser tests; Vitest calls it only where one of them runs. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { folder, remove } = await ownFolder()
  project.provide('chromium', (await workingChromium(folder)) ?? null)
  return remove
}
