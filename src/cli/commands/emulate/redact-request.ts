const redacted = '[redacted]'
const secretHeaders = new Set(['x-api-key', 'authorization', 'proxy-authorization', 'cookie', 'set-cookie'])

/** A path with its query, with the value of every `api_key` replaced, also if its name is percent-encoded. */
export function redactPath(url: string): string {
  const [path = '', ...rest] = url.split('?')
  if (rest.length === 0) return path
  const fields = rest.join('?').split('&')
  return `${path}?${fields.map((field) => (isKey(field) ? `${nameOf(field)}=${redacted}` : field)).join('&')}`
}

/** The keys in a request's header and query, as they were sent. */
export function keysOf(url: string, headers: Readonly<Record<string, unknown>>): readonly string[] {
  const query = url.slice(url.indexOf('?') + 1)
  const inQuery = query.split('&').flatMap((field) => (isKey(field) ? [field.slice(nameOf(field).length + 1)] : []))
  return [String(headers['x-api-key'] ?? ''), ...inQuery].filter((key) => key !== '')
}

/** Headers by name, with secret headers and all occurrences of `keys` redacted. */
export function redactHeaders(
  headers: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): Readonly<Record<string, string>> {
  const withoutKeys = (text: string) => keys.reduce((rest, key) => rest.replaceAll(key, redacted), text)
  const shown = Object.entries(headers).map(([name, value]) => {
    const text = Array.isArray(value) ? value.join(', ') : String(value)
    return [name, secretHeaders.has(name.toLowerCase()) ? redacted : withoutKeys(text)] as const
  })
  return Object.fromEntries(shown)
}

function nameOf(field: string): string {
  return field.split('=', 1)[0] ?? ''
}

function isKey(field: string): boolean {
  const name = new URLSearchParams(nameOf(field)).keys().next().value
  return name !== undefined && /^api_key\b/.test(name)
}
