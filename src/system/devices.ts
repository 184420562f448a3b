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
  return leadsTo(descriptor, (stats) => stats.isCharacterDevice() && !isNull(stats))
}

/** Whether nothing can keep a write to a standard stream waiting, as the reader of a pipe can. */
export function takesAtOnce(descriptor: number): boolean {
  return leadsTo(descriptor, (stats) => stats.isFile() || isNull(stats))
}

function isNull({ rdev }: Stats): boolean {
  return rdev !== 0 && rdev === statSync('/dev/null', { throwIfNoEntry: false })?.rdev
}
