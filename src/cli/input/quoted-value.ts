/** A message needs no more of a value than its beginning. */
const LONGEST = 60

/** The value of a flag in a message: as JSON, and cut where it is long. */
export function quotedValue(value: string): string {
  return JSON.stringify(value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value)
}
