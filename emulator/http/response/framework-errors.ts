import { type HttpReply, type HttpRequest, headerOf } from '../../http-types.ts'
import type { Settings } from '../../settings/settings.ts'
import { exceptionJson, jsonReply, reasonPhrase } from './reply.ts'

/** What an error reply depends on besides its message. */
export interface ErrorContext {
  readonly settings: Settings
  readonly request: HttpRequest
  /** Epoch milliseconds. */
  readonly now: number
}

/** An error that the framework answers instead of the service. */
export interface Exception {
  readonly status: number
  readonly message: string
  readonly headers?: HttpReply['headers']
}

/** An exception in the framework's shape (spec 7.2), or as a page for clients that do not accept JSON. */
export function exceptionReply({ status, message, headers = {} }: Exception, context: ErrorContext): HttpReply {
  if (getsJson(context)) return exceptionJson(status, message, { style: context.settings.json_style, headers })
  return htmlReply(status, reasonPhrase(status), headers)
}

/** A failed validation (spec 7.2); a client that does not accept JSON is redirected back to its form. */
export function validationReply(field: string, messages: readonly string[], context: ErrorContext): HttpReply {
  const location = headerOf(context.request, 'referer') ?? context.request.origin
  if (!getsJson(context)) return htmlReply(302, `Redirecting to ${location}`, { Location: location })
  const body = { message: summary(messages), errors: { [field]: messages } }
  return jsonReply(422, body, { style: context.settings.json_style })
}

/** A page of the web server in front of the service. */
export function webServerReply(status: number, headers: HttpReply['headers'] = {}): HttpReply {
  return htmlReply(status, `${status} ${reasonPhrase(status)}`.trim(), headers)
}

function getsJson({ settings, request }: ErrorContext): boolean {
  return settings.errors_as_json === 'always' || asksForJson(request)
}

/** The framework looks only at the preferred type; a script without a preference counts as accepting JSON. */
function asksForJson(request: HttpRequest): boolean {
  const preferred = preferredType(headerOf(request, 'accept') ?? '')
  if (/[/+]json/.test(preferred)) return true
  const isScript = headerOf(request, 'x-requested-with') === 'XMLHttpRequest' && !asksForPage(request)
  return isScript && (preferred === '' || preferred === '*/*' || preferred === '*')
}

/** A script that loads a page fragment (PJAX) wants HTML; PHP treats these two values as false. */
function asksForPage(request: HttpRequest): boolean {
  const value = headerOf(request, 'x-pjax') ?? ''
  return value !== '' && value !== '0'
}

/** The first of several types with equal quality. */
function preferredType(accept: string): string {
  let preferred = { type: '', quality: -1 }
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1) || 0
    if (type !== '' && quality > preferred.quality) preferred = { type, quality }
  }
  return preferred.type
}

/** The first message, with a count of the others. */
function summary(messages: readonly string[]): string {
  const [first = '', ...others] = messages
  if (others.length === 0) return first
  return `${first} (and ${others.length} more ${others.length === 1 ? 'error' : 'errors'})`
}

function htmlReply(status: number, title: string, headers: HttpReply['headers']): HttpReply {
  const text = title.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)
  const body = `<!DOCTYPE html>\n<html lang="en"><head><title>${text}</title></head><body><h1>${text}</h1></body></html>\n`
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers }, body }
}
