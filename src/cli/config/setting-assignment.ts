/** A setting by name, and the value it shall have, which only the emulator can judge. */
export type SettingAssignment = readonly [name: string, value: unknown]

/**
 * Reads `quota_windows=sliding`, `visible_after_ms=500` or `quotas={"burst":5}`: a value that is JSON is read as that,
 * any other is text.
 * @throws TypeError where there is no name or no value
 */
export function parseSettingAssignment(text: string): SettingAssignment {
  const [, name, value] = /^\s*([a-z_]+)\s*=(.+)$/is.exec(text) ?? []
  if (name === undefined || value === undefined) {
    throw new TypeError(`${JSON.stringify(text)} is no setting: write NAME=VALUE, such as quota_windows=sliding`)
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
