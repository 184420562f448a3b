import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { emulated } from '../emulated.ts'

test('silence 58: the body of a GET is ignored, and the connection stays usable', async () => {
  const emulator = await emulated()
  const { baseUrl } = await emulator.listen()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  emulator.control.accounts.addUploads(1, { count: 51 })
  const body = JSON.stringify({ page: 2 })
  const headers = { 'X-Api-Key': emulator.apiKey, 'Content-Type': 'application/json', 'Content-Length': body.length }
  const ports = new Set<number | undefined>()
  for (let count = 1; count <= 2; count += 1) {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(`${baseUrl}/api/uploads`, { agent, headers }, resolve).on('error', reject).end(body)
    })
    ports.add(response.socket.localPort)
    expect(JSON.parse(await text(response))).toMatchObject({ current_page: 1, total: 51 })
  }
  expect(ports.size).toBe(1)
})
