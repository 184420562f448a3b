import type { HttpReply } from '../../http-types.ts'
import type { Settings } from '../../settings/settings.ts'

/** How a reply's JSON is written, and the headers beside its type. */
export interface JsonForm {
  readonly style: Settings['json_style']
  readonly headers?: HttpReply['headers']
}

/**
 * JSON as the service's own answers have it: on one line, slashes escaped, ASCII only. Same data, but not the bytes
 * that `JSON.stringify` makes, and a client may have to bear them.
 */
export function compactJson(value: unknown): string {
  return asciiOnly(JSON.stringify(value).replace(/\//g, '\\/'))
}

/** JSON as the service's framework answers an exception: indented by four, slashes as they are, ASCII only. */
export function prettyJson(value: unknown): string {
  return asciiOnly(JSON.stringify(value, null, 4))
}

/** An answer of the service's own. */
export function jsonReply(status: number, value: unknown, { style, headers }: JsonForm): HttpReply {
  const body = style === 'laravel' ? compactJson(value) : JSON.stringify(value)
  return { status, headers: headers === undefined ? jsonHeaders : { ...jsonHeaders, ...headers }, body }
}

/** An answer of the framework in place of the service (spec 7.2). */
export function exceptionJson(status: number, message: string, { style, headers }: JsonForm): HttpReply {
  const body = style === 'laravel' ? prettyJson({ message }) : JSON.stringify({ message })
  return { status, headers: { ...jsonHeaders, ...headers }, body }
}

const jsonHeaders = { 'Content-Type': 'application/json' }

function asciiOnly(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
