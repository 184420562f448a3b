import { ConnectionError, TransportError } from '../../index.ts'

/**
 * What to do about a connection that did not come about, by what the system or TLS said of it.
 * @returns undefined where that says nothing of its own
 */
export function connectionHint(error: unknown): string | undefined {
  if (!(error instanceof ConnectionError)) return undefined
  const { message, cause } = error
  if (cause instanceof TransportError && cause.failure === 'untrusted') {
    return 'For an authority of your own: --ca-cert FILE, or fh config set ca_cert FILE; else check the base URL and the clock'
  }
  if (cause instanceof TransportError && message.includes('speaks TLS on this port')) {
    return 'Begin the base URL with https://'
  }
  if (message.includes('does not speak TLS')) {
    return 'Check the port of the base URL; does it have to begin with http://?'
  }
  if (!message.includes('ECONNREFUSED')) return undefined
  if (message.includes('through the proxy')) {
    return 'Nothing listens at the proxy: check --proxy, the setting proxy, or HTTP_PROXY and its like'
  }
  const start = /ECONNREFUSED (127\.|::1)/.test(message) ? ' start a local service with fh emulate,' : ''
  return `Nothing listens there: check the base URL and its port,${start} or try again later`
}
