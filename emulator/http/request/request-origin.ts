/**
 * Scheme, host and port that a request addressed, as the service's framework writes them: the host in lower case, the
 * scheme's own port left out.
 *
 * @param host the Host header as it was sent
 */
export function originOf(scheme: string, host: string): string {
  const sent = host.trim()
  const port = portOf(sent)
  const isOwnPort = port === undefined || port === (scheme === 'https' ? 443 : 80)
  return `${scheme}://${sent.replace(/:\d+$/, '').toLowerCase()}${isOwnPort ? '' : `:${port}`}`
}

/** Text that begins with no number counts as 0, and 0 itself as no port at all. */
function portOf(host: string): number | undefined {
  const colon = host.startsWith('[') ? host.indexOf(':', host.lastIndexOf(']')) : host.lastIndexOf(':')
  const port = colon === -1 ? '' : host.slice(colon + 1)
  return port === '' || port === '0' ? undefined : Math.trunc(Number.parseFloat(port)) || 0
}

/**
 * Whether the host is made of what names and addresses are made of. The framework answers no request with another one,
 * for its links would carry it.
 */
export function hasPlainHost(origin: string): boolean {
  const host = origin.slice(origin.indexOf('://') + 3)
  return host.replace(/(?:^\[)?[\w:\]-]+\.?/g, '') === ''
}
