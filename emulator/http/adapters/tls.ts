import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { createServer as createPlainServer, type Server, type ServerOptions } from 'node:http'
import { CodedError } from '../../../src/checks/coded-error.ts'
import { reasonOf } from '../../../src/system/system-errors.ts'
import type { EmulatorErrorCode } from '../../emulator-error.ts'
import { readGivenFile } from '../../given-file.ts'

/** Certificate and key, each the path of a PEM file or its text. */
export interface TlsOptions {
  /** The certificate, followed by its chain if it has one. */
  readonly cert: string
  readonly key: string
}

/** A certificate or key that cannot be used; the message says which one and why, in one line. */
export class TlsError extends CodedError {
  override readonly name = 'TlsError'
  readonly code = 'unusable-tls' satisfies EmulatorErrorCode
}

/** Certificates with long chains have a few kilobytes. */
const maxPemBytes = 1_048_576

/**
 * Creates an HTTPS server for TLS 1.2 or later, or an HTTP server without `tls`.
 * @throws TlsError
 */
export async function createServer(options: ServerOptions, tls: TlsOptions | undefined): Promise<Server> {
  if (tls === undefined) return createPlainServer(options)
  const [cert, key] = await Promise.all([readPem('certificate', tls.cert), readPem('key', tls.key)])
  refuseMismatch(cert, key)
  // Loaded on demand: most emulators never use TLS.
  const { createServer: createSecureServer } = await import('node:https')
  return createSecureServer({ ...options, cert, key, minVersion: 'TLSv1.2' })
}

async function readPem(what: string, given: string): Promise<string> {
  if (given.includes('-----BEGIN ')) return given
  try {
    return await readGivenFile(given, maxPemBytes)
  } catch (cause) {
    throw new TlsError(`Cannot read the TLS ${what} ${given}: ${reasonOf(cause)}`, { cause })
  }
}

function refuseMismatch(cert: string, key: string): void {
  const certificate = parsePem('certificate', () => new X509Certificate(cert))
  const privateKey: KeyObject = parsePem('key', () => createPrivateKey(key))
  if (!certificate.checkPrivateKey(privateKey)) throw new TlsError('The TLS key does not belong to the certificate')
}

function parsePem<Result>(what: string, parse: () => Result): Result {
  try {
    return parse()
  } catch (cause) {
    throw new TlsError(`The TLS ${what} is not usable PEM: ${reasonOf(cause)}`, { cause })
  }
}
