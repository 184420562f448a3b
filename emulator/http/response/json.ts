import type { HttpReply } from '../../http-types.ts'
import type { Settings } from '../../settings/settings.ts'

/** How a reply's JSON is written, and its further headers. */
export interface JsonForm {
  readonly style: Settings['json_style']
  readonly headers?: HttpReply['headers']
}

/** JSON as the service writes it: one line, slashes escaped, ASCII only. */
export function jsonReply(status: number, value: unknown, { style, headers }: JsonForm): HttpReply {
  const json = JSON.stringify(value)
  const body = style === 'laravel' ? asciiOnly(json.replace(/\//g, '\\/')) : json
  return { status, headers: headers === undefined ? jsonHeaders : { ...jsonHeaders, ...headers }, body }
}

/** JSON as the framework writes an error (spec 7.2): indented by four, slashes plain, ASCII only. */
export function exceptionJson(status: number, message: string, { style, headers }: JsonForm): HttpReply {
  const body = style === 'laravel' ? asciiOnly(JSON.stringify({ message }, null, 4)) : JSON.stringify({ message })
  return { status, headers: { ...jsonHeaders, ...headers }, body }
}

const jsonHeaders = { 'Content-Type': 'application/json' }

function asciiOnly(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
