import type { HttpRequest } from './http.ts'
import { isLoopbackAddress } from './values/ip-allowlist.ts'

/** Headers by which proxies tell whose request they pass on. */
const proxyHeaders = ['X-Forwarded-For', 'X-Real-IP', 'Forwarded', 'Via']

/**
 * What shows that a request came through a proxy, whose own address says nothing about the client.
 * @returns undefined if nothing shows it
 */
export function proxySign({ headers, httpVersion }: Pick<HttpRequest, 'headers' | 'httpVersion'>): string | undefined {
  // Before its release 1.29.7, nginx says nothing of itself unless told to, but speaks HTTP/1.0, which no browser does.
  return (
    proxyHeaders.find((name) => headers[name.toLowerCase()] !== undefined) ??
    (httpVersion === '1.0' ? 'HTTP/1.0' : undefined)
  )
}

/** Whether a request is of a program on the emulator's machine, as far as can be seen. */
export function isFromThisMachine(request: Pick<HttpRequest, 'clientIp' | 'headers' | 'httpVersion'>): boolean {
  return isLoopbackAddress(request.clientIp) && proxySign(request) === undefined
}
