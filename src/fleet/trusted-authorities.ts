import { readFile } from 'node:fs/promises'
import type { SecureContext } from 'node:tls'

/**
 * What TLS trusts: the authorities that Node has, those of NODE_EXTRA_CA_CERTS, and one's own.
 *
 * @param ca in PEM
 */
export async function trusting(ca: string): Promise<SecureContext> {
  const { createSecureContext, rootCertificates } = await import('node:tls')
  const file = process.env['NODE_EXTRA_CA_CERTS']
  // Node says so by itself if it cannot read the file.
  const extra = file ? await readFile(file, 'utf8').catch(() => '') : ''
  return createSecureContext({ ca: [...rootCertificates, ...(extra === '' ? [] : [extra]), ca] })
}
