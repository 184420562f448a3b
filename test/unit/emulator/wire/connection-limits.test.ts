import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import type { HttpHandler } from '../../../../emulator/http.ts'
import { tlsFiles } from '../../../helpers/tls.ts'
import { until } from '../../../helpers/until.ts'
import { rawClient, served } from './served.ts'

/** Answers without reading the body. */
const refuse: HttpHandler = async () => ({ status: 401, headers: { 'Content-Length': '7' }, body: 'refused' })

const tls = { cert: readFileSync(tlsFiles.cert, 'utf8'), key: readFileSync(tlsFiles.key, 'utf8') }

const mebibyte = Buffer.alloc(1_048_576)

/** A client that has its answer and has still to send this much of its request. */
async function answered(to: Parameters<typeof rawClient>[0], mebibytes: number) {
  const lines = ['POST / HTTP/1.1', 'Host: h', `Content-Length: ${mebibytes * mebibyte.length}`, 'Connection: close']
  const client = rawClient(to, [...lines, '', ''].join('\r\n'))
  await until(() => client.seen.ended)
  expect(client.seen.text).toMatch(/^HTTP\/1\.1 401 [\s\S]*refused$/)
  return client
}

test.each(['plain', 'TLS'])('over %s, a client sees the end after its answer and may send the rest', async (kind) => {
  const { port } = await served(refuse, kind === 'TLS' ? { tls } : {})
  const secure = { port, host: '127.0.0.1', rejectUnauthorized: false, allowHalfOpen: true }
  const { send, seen, socket } = await answered(kind === 'TLS' ? connectSecurely(secure) : port, 8)
  for (let sent = 0; sent < 8; sent += 1) await send(mebibyte)
  socket.end()
  await until(() => seen.closed)
  expect(seen.error).toBeUndefined()
})

test('a client that stops sending after its answer is disconnected', async () => {
  const { port } = await served(refuse, {}, 20)
  const taken: Socket[] = []
  const take = (message: unknown) => void taken.push((message as { socket: Socket }).socket)
  subscribe('http.server.request.start', take)
  onTestFinished(() => void unsubscribe('http.server.request.start', take))
  await answered(port, 1)
  await until(() => taken.every((socket) => socket.destroyed))
  expect(taken.length).toBe(1)
})
