import { isTooDeep } from '../../src/protocol/json-depth.ts'

/** The deepest nesting accepted in JSON from outside. */
export const mostLevels = 100

/** Whether a value can be written as JSON of at most {@link mostLevels}. */
export function isWritable(value: unknown): boolean {
  try {
    const text = JSON.stringify(value)
    return text !== undefined && !isTooDeep(text, mostLevels)
  } catch {
    return false
  }
}
