import { inspect } from 'node:util'

type Callback<Arguments extends readonly unknown[]> = (...given: Arguments) => unknown

const told = new WeakSet<object>()

/**
 * The same callback for one that only observes: what it throws, or what its promise rejects with, changes nothing, and is
 * told once on standard error.
 *
 * @param name what the line calls it
 */
export function observer<Arguments extends readonly unknown[]>(
  name: string,
  callback: Callback<Arguments> | undefined,
): (...given: Arguments) => void {
  if (callback === undefined) return () => {}
  const tell = (error: unknown) => {
    if (told.has(callback)) return
    told.add(callback)
    process.stderr.write(`filehost: ${name} failed, which changes nothing else; told once: ${shown(error)}\n`)
  }
  return (...given) => {
    try {
      const result = callback(...given)
      if (typeof Object(result).then === 'function') Promise.resolve(result).catch(tell)
    } catch (error) {
      tell(error)
    }
  }
}

/** What is thrown may be anything, and may throw when it is looked at. */
function shown(error: unknown): string {
  try {
    return inspect(error)
  } catch {
    return 'an error that cannot be shown'
  }
}
