import { fstatSync, type Stats, statSync } from 'node:fs'

/** Whether something holds of what a standard stream leads to; false where the stream is closed. */
export function leadsTo(descriptor: number, holds: (stats: Stats) => boolean): boolean {
  try {
    return holds(fstatSync(descriptor))
  } catch {
    return false
  }
}

/** Whether a standard stream is a terminal, or the null device. */
export const isDevice = (descriptor: number) => leadsTo(descriptor, (stats) => stats.isCharacterDevice())

/** Whether a standard stream may be a terminal; node:tty, which knows, and the stream itself take a while to load. */
export function mayBeTerminal(descriptor: number): boolean {
  const nothing = statSync('/dev/null', { throwIfNoEntry: false })
  return leadsTo(descriptor, (stats) => stats.isCharacterDevice() && stats.rdev !== nothing?.rdev)
}
