/** The most characters of a value that a message repeats. */
const longestQuote = 100

/** Quotes an untrusted value in a message: as JSON, shortened, or by its kind if JSON does not show it. */
export function quoted(value: unknown): string {
  if (typeof value === 'string' || isPlain(value)) {
    const text = asJson(value)
    return text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text
  }
  return kindOf(value)
}

/** What a value is, without its content, which may be secret. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'function') return value.name === '' ? 'a function' : `the function ${shortened(value.name)}`
  if (typeof value === 'string') return value === '' ? 'an empty text' : 'a text'
  if (typeof value !== 'object') return `a ${typeof value}`
  const name = nameOf(value)
  return name === 'Object' ? 'an object' : `${/^[AEIOU]/i.test(name) ? 'an' : 'a'} ${shortened(name)}`
}

/** Whether JSON shows the value: `{}` would stand for a Map or an AbortController. */
export function isPlain(value: unknown): boolean {
  if (typeof value === 'function' || typeof value === 'symbol' || value === undefined) return false
  return typeof value !== 'object' || value === null || Array.isArray(value) || nameOf(value) === 'Object'
}

function nameOf(value: object): string {
  const maker: unknown = Object.getPrototypeOf(value)?.constructor
  return typeof maker === 'function' && maker.name !== '' ? maker.name : 'Object'
}

function shortened(name: string): string {
  return name.slice(0, longestQuote)
}

function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    if (typeof value === 'bigint') return `${value}n`
    return Array.isArray(value) ? 'a list that is not JSON' : 'an object that is not JSON'
  }
}
