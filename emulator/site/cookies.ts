import { parse, serialize } from 'hono/utils/cookie'
import type { HttpRequest } from '../http.ts'

/** In seconds of the browser's clock. The service judges a session's age by its own clock, which may be far off. */
const monthSeconds = 30 * 86_400

/**
 * The site's cookies: a session, and the language that a visitor chose.
 * @param origin the address that browsers see
 * @param isDurable cookies outlast the browser, as the emulator's data outlasts its process
 */
export function cookiesOf(request: HttpRequest, origin: string, isDurable: boolean) {
  const secure = origin.startsWith('https:')
  /** Cookies ignore ports (RFC 6265, 8.5), so emulators on one host would take each other's. */
  const [, port] = /:(\d+)$/.exec(origin) ?? []
  const nameOf = (kind: string) => `${secure ? '__Host-' : ''}fh_${kind}${port === undefined ? '' : `_${port}`}`
  const read = (kind: string) => parse(request.headers['cookie'] ?? '', nameOf(kind))[nameOf(kind)]
  const write = (kind: string, value: string | undefined) => {
    const age = value === undefined ? { maxAge: 0 } : isDurable && { maxAge: monthSeconds }
    return serialize(nameOf(kind), value ?? '', { path: '/', httpOnly: true, sameSite: 'Lax', secure, ...age })
  }
  return {
    session: read('session'),
    language: read('language'),
    /** The value of `Set-Cookie`; undefined takes the cookie away. */
    keepSession: (id: string | undefined) => write('session', id),
    keepLanguage: (language: string) => write('language', language),
  }
}
