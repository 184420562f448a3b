import { createHmac, randomBytes } from 'node:crypto'
import { parse, serialize } from 'hono/utils/cookie'
import type { HttpRequest } from '../../http.ts'
import { isSameSecret } from './access-guard.ts'

/** The header in which the dashboard's program shows that a write is its own. */
const writeHeader = 'x-emulator-page'

/**
 * Stands for the control token in browsers of other machines: a cookie with a proof that only someone with the token could
 * make, not the token. Without a lasting token it ends with this process. A write shows a second proof, which only the
 * page itself can read.
 */
export function createPageAccess(token: string) {
  const proofOf = (use: 'page' | 'write', nonce: string) =>
    createHmac('sha256', token).update(`${use} ${nonce}`).digest('base64url')

  const nonceOf = (request: HttpRequest): string | undefined => {
    const name = cookieName(request)
    const [nonce = '', proof = ''] = (parse(request.headers['cookie'] ?? '', name)[name] ?? '').split('.')
    return nonce !== '' && isSameSecret(proof, proofOf('page', nonce)) ? nonce : undefined
  }

  return {
    /** The value of `Set-Cookie` for a browser that has shown the token. */
    cookie(request: HttpRequest): string {
      const nonce = randomBytes(16).toString('base64url')
      return serialize(cookieName(request), `${nonce}.${proofOf('page', nonce)}`, {
        path: '/_emulator',
        httpOnly: true,
        sameSite: 'Strict',
        secure: request.origin.startsWith('https:'),
      })
    },
    hasCookie: (request: HttpRequest): boolean => nonceOf(request) !== undefined,
    /** What the page of this browser sends with its writes; empty where it needs no cookie. */
    writeProof(request: HttpRequest): string {
      const nonce = nonceOf(request)
      return nonce === undefined ? '' : proofOf('write', nonce)
    },
    /** Whether the cookie opens what the control API would refuse for want of its token. */
    opens(request: HttpRequest): boolean {
      const nonce = nonceOf(request)
      if (nonce === undefined) return false
      if (request.method === 'GET' || request.method === 'HEAD') return true
      return isSameSecret(request.headers[writeHeader] ?? '', proofOf('write', nonce))
    },
  }
}

export type PageAccess = ReturnType<typeof createPageAccess>

/**
 * Cookies ignore ports (RFC 6265, 8.5). Under TLS the prefix keeps pages without it from setting the cookie; `__Host-`
 * would send it to the whole site.
 */
function cookieName({ origin }: HttpRequest): string {
  const { port } = new URL(origin)
  const name = port === '' ? 'fh_dashboard' : `fh_dashboard_${port}`
  return origin.startsWith('https:') ? `__Secure-${name}` : name
}
