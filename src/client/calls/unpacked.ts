import { pipeline, Readable } from 'node:stream'
import { errorCodeOf } from '../../system/system-errors.ts'
import { UnexpectedResponseError } from '../errors.ts'
import { TransportError, type TransportResponse, withoutPacking } from '../transports/transport.ts'

/** What an answer is packed with although it was not asked for; undefined if its bytes are the file's own. */
export function foreignEncoding({ headers }: Pick<TransportResponse, 'headers'>): string | undefined {
  const encoding = headers['content-encoding']?.trim().toLowerCase()
  return encoding === 'identity' ? undefined : encoding || undefined
}

/**
 * The same answer with the file's own bytes, where it has all of them and says how they are packed: some sites and proxies
 * pack what they send unasked. Parts of packed bytes stay as they are, since they cannot be unpacked alone.
 * @param path of the request, for errors
 */
export function unpacked(response: TransportResponse, path: string): TransportResponse {
  const encoding = foreignEncoding(response)
  const isKnown = encoding !== undefined && /^(x-)?gzip$|^deflate$|^br$/.test(encoding)
  if (response.status !== 200 || !isKnown) return response
  return { ...response, headers: withoutPacking(response.headers), body: unpack(response.body, encoding, path) }
}

/**
 * @throws TransportError where the bytes end in the middle, as those of a broken connection do; UnexpectedResponseError where
 * they are not what they are said to be
 */
async function* unpack(body: TransportResponse['body'], encoding: string, path: string): AsyncGenerator<Uint8Array> {
  const { createBrotliDecompress, createUnzip } = await import('node:zlib')
  const packing = encoding === 'br' ? createBrotliDecompress() : createUnzip()
  try {
    yield* pipeline(Readable.from(body), packing, () => {})
  } catch (cause) {
    const code = String(errorCodeOf(cause))
    if (code === 'Z_BUF_ERROR') throw new TransportError('interrupted', `the ${encoding} bytes end in the middle`)
    if (!/^(Z|ERR_)_/.test(code)) throw cause
    throw new UnexpectedResponseError(foreignBytes(path, encoding), { hint: otherWay, cause })
  }
}

/** The message of an error about bytes that cannot be unpacked. */
export function foreignBytes(path: string, encoding: string): string {
  return `GET ${path} answered with ${encoding} bytes instead of the file's own, and they cannot be unpacked`
}

/** What to do then. */
export const otherWay = 'Get the file with a browser, or try again later'
