import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { createServer as createPlainServer, type Server, type ServerOptions } from 'node:http'
import { readGivenFile, reasonOf } from '../../given-file.ts'

/** What a server speaks TLS with; each the path of a PEM file, or its text. */
export interface TlsOptions {
  /** The certificate, with the chain below it where it has one. */
  readonly cert: string
  readonly key: string
}

/** A certificate or key that cannot be used; the message says in one line which and why. */
export class TlsError extends Error {
  override readonly name = 'TlsError'
}

/** A certificate with a long chain has a few kilobytes. */
const mostPemBytes = 1_048_576

/**
 * Creates a server that speaks TLS 1.2 or later, or plain HTTP where no TLS is asked for.
 * @throws TlsError
 */
export async function createServer(options: ServerOptions, tls: TlsOptions | undefined): Promise<Server> {
  if (tls === undefined) return createPlainServer(options)
  const [cert, key] = await Promise.all([readPem('certificate', tls.cert), readPem('key', tls.key)])
  refuseMismatch(cert, key)
  // Loaded here, for most emulators never speak it.
  const { createServer: createSecureServer } = await import('node:https')
  return createSecureServer({ ...options, cert, key, minVersion: 'TLSv1.2' })
}

async function readPem(what: string, given: string): Promise<string> {
  if (given.includes('-----BEGIN ')) return given
  try {
    return await readGivenFile(given, mostPemBytes)
  } catch (cause) {
    throw new TlsError(`Cannot read the TLS ${what} ${given}: ${reasonOf(cause)}`, { cause })
  }
}

function refuseMismatch(cert: string, key: string): void {
  const certificate = parsed('certificate', () => new X509Certificate(cert))
  const privateKey: KeyObject = parsed('key', () => createPrivateKey(key))
  if (!certificate.checkPrivateKey(privateKey)) throw new TlsError('The TLS key is not the one of the certificate')
}

function parsed<Result>(what: string, parse: () => Result): Result {
  try {
    return parse()
  } catch (cause) {
    throw new TlsError(`The TLS ${what} is no PEM that can be used: ${reasonOf(cause)}`, { cause })
  }
}
