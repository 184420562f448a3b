/** A setting of the emulator and its new value, which the emulator checks. */
export type SettingAssignment = readonly [name: string, value: unknown]

/**
 * Reads `quota_windows=sliding`, `visible_after_ms=500` or `quotas={"burst":5}`: JSON where it parses, else text.
 * @throws TypeError if the name or the value is missing
 */
export function parseSettingAssignment(text: string): SettingAssignment {
  const [, name, value] = /^\s*([a-z_]+)\s*=(.+)$/is.exec(text) ?? []
  if (name === undefined || value === undefined) {
    throw new TypeError(`${JSON.stringify(text)} is not a setting: write NAME=VALUE, such as quota_windows=sliding`)
  }
  return [name, jsonOrText(value.trim())]
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
