import { parse, serialize } from 'hono/utils/cookie'
import { portOfOrigin } from '../http/request/addresses.ts'
import { type HttpRequest, headerOf } from '../http-types.ts'

interface CookieOptions {
  /** The address that browsers see. */
  readonly originOf: (request: HttpRequest) => string
  /** Cookies outlast the browser, as the emulator's data outlasts its process. */
  readonly isDurable: boolean
}

/** In seconds of the browser's clock. The service judges a session's age by its own clock, which may be far off. */
const monthSeconds = 30 * 86_400

export function createCookies({ originOf, isDurable }: CookieOptions) {
  const isSecure = (request: HttpRequest) => originOf(request).startsWith('https:')

  /** Cookies ignore ports (RFC 6265, 8.5), so emulators on one host would take each other's. */
  const nameOf = (kind: string, request: HttpRequest) => {
    const port = portOfOrigin(originOf(request))
    const name = port === undefined ? `fh_${kind}` : `fh_${kind}_${port}`
    return isSecure(request) ? `__Host-${name}` : name
  }
  const read = (kind: string, request: HttpRequest) => {
    const name = nameOf(kind, request)
    return parse(headerOf(request, 'cookie') ?? '', name)[name]
  }
  const write = (kind: string, request: HttpRequest, value: string | undefined) =>
    serialize(nameOf(kind, request), value ?? '', {
      path: '/',
      httpOnly: true,
      sameSite: 'Lax',
      secure: isSecure(request),
      ...(value === undefined ? { maxAge: 0 } : isDurable && { maxAge: monthSeconds }),
    })

  return {
    session: (request: HttpRequest): string | undefined => read('session', request),
    language: (request: HttpRequest): string | undefined => read('language', request),
    /** The value of `Set-Cookie`; undefined takes the cookie away. */
    keepSession: (request: HttpRequest, id: string | undefined) => write('session', request, id),
    keepLanguage: (request: HttpRequest, language: string) => write('language', request, language),
  }
}

/** The site's cookies: a session, and the language that a visitor chose. */
export type Cookies = ReturnType<typeof createCookies>
