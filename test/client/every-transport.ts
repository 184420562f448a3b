import { readFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import {
  fetchTransport,
  type NodeTransportOptions,
  nodeTransport,
  type RequestBody,
  type Transport,
  type TransportResponse,
  undiciTransport,
} from '../../src/index.ts'
import { tlsFiles } from '../helpers/tls.ts'

/** Of a server on 127.0.0.1. */
export const tls = { cert: readFileSync(tlsFiles.cert, 'utf8'), key: readFileSync(tlsFiles.key, 'utf8') }

/** Without a proxy variable of this machine. */
export const socketTransports: readonly (readonly [string, (options?: NodeTransportOptions) => Transport])[] = [
  ['undici', (options) => opened(undiciTransport({ env: {}, ...options }))],
  ['node', (options) => nodeTransport({ env: {}, ...options })],
]

type CreateTransport = (options?: Pick<NodeTransportOptions, 'idleTimeoutMs' | 'ca'>) => Transport

export const transports: readonly (readonly [string, CreateTransport])[] = [
  ...socketTransports,
  ['fetch', () => fetchTransport(fetch)],
]

/** The same transport; it closes when the test ends. */
export function opened(transport: Transport): Transport {
  onTestFinished(() => transport.close?.())
  return transport
}

export async function textOf(response: Pick<TransportResponse, 'body'>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of response.body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** A request body of these chunks. */
export function bodyOf(...parts: readonly (string | Uint8Array)[]): RequestBody {
  return {
    contentType: 'text/plain',
    length: parts.reduce((length, part) => length + part.length, 0),
    async *chunks() {
      for (const part of parts) yield Buffer.from(part)
    },
  }
}
