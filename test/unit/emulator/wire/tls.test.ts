import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import type { TLSSocket } from 'node:tls'
import { expect, test } from 'vitest'
import { tlsFiles as tls } from '../../../helpers/tls.ts'
import { emulated, uploaded } from '../emulated.ts'

/** The answer to a GET that trusts only the fixture's certificate, with the version of TLS. */
function get(url: string, apiKey: string, options: object = {}): Promise<readonly [string | null, string]> {
  return new Promise((resolve, reject) => {
    const headers = { 'X-Api-Key': apiKey }
    const sent = request(url, { ca: readFileSync(tls.cert), headers, agent: false, ...options }, (response) => {
      const protocol = (response.socket as TLSSocket).getProtocol()
      text(response).then((body) => resolve([`${protocol} ${response.statusCode}`, body]), reject)
    })
    sent.on('error', reject).end()
  })
}

test('with a certificate the base URL and all links begin with https', async () => {
  const emulator = await emulated()
  const { baseUrl, port } = await emulator.listen({ tls })
  expect(baseUrl).toBe(`https://127.0.0.1:${port}`)
  const { slug } = await uploaded(emulator, 10)
  const [status, body] = await get(`${baseUrl}/api/uploads`, emulator.apiKey)
  expect(status).toBe('TLSv1.3 200')
  expect(JSON.parse(body)).toMatchObject({ path: `${baseUrl}/api/uploads`, data: [{ url: `${baseUrl}/i/${slug}` }] })
  expect((await get(`${baseUrl}/_emulator/health`, ''))[0]).toBe('TLSv1.3 200')
})
