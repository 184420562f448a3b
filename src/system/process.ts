import { fstatSync, type Stats } from 'node:fs'

/** The binary is made with Bun, which differs from Node where this is asked (docs/binaries.md). */
export const isBun = process.versions['bun'] !== undefined

/** Whether something holds of what a standard stream leads to; false where the stream is closed. */
export function leadsTo(descriptor: number, holds: (stats: Stats) => boolean): boolean {
  try {
    return holds(fstatSync(descriptor))
  } catch {
    return false
  }
}
