// How often an early answer is lost: of the uploads that are refused before their body was read, how many end without the
// answer, by transport, against the emulator and a bare socket that answers and resets the connection at once.
// npm run bench -- early [--count=200]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fetchTransport, nodeTransport, undiciTransport } from '../dist/index.js'
import { option, startService } from './service.mjs'

/** Bytes of a body; a large one is still on its way when the answer comes. */
const sizes = { '100 KB': 100_000, '3 MB': 3_000_000 }
/** Uploads at the same time, enough to keep all processes busy. */
const together = 8
/** A later answer counts as lost. */
const idleTimeoutMs = 20_000
/** A quota that stays used up. */
const refusing = ['--quota', 'burst=none,minute=none,hour=5,day=none', '--set', 'soft_delay=off']
/** Answers the first bytes and resets the connection with the rest unread; a process of its own, to be fast. */
const rawServer = `
const answer = 'HTTP/1.1 429 Too Many Requests\\r\\nContent-Type: application/json\\r\\nContent-Length: 2\\r\\n\\r\\n{}'
require('node:net').createServer((socket) => {
  socket.on('error', () => {})
  socket.once('data', () => {
    socket.pause()
    socket.write(answer, () => socket.resetAndDestroy())
  })
}).listen(0, '127.0.0.1', function () {
  console.log(this.address().port)
})`

export async function run() {
  const count = Number(option('count', 200))
  const service = await startService(refusing)
  const raw = spawn(process.execPath, ['-e', rawServer], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [port] = await once(createInterface(raw.stdout), 'line')
    const servers = { emulator: service.baseUrl, 'raw socket, reset at once': `http://127.0.0.1:${port}` }
    const transports = {
      node: nodeTransport({ idleTimeoutMs }),
      undici: undiciTransport({ idleTimeoutMs, proxy: false }),
      fetch: fetchTransport(fetch),
    }
    const rows = []
    for (const [server, url] of Object.entries(servers)) {
      for (const [body, bytes] of Object.entries(sizes)) {
        const row = { server, body, uploads: count }
        for (const [name, transport] of Object.entries(transports)) {
          row[`lost by ${name}`] = await lost(() => statusOf(transport, url, service.apiKey, bytes), count)
        }
        rows.push(row)
      }
    }
    console.table(rows)
  } finally {
    raw.kill()
    await service.end()
  }
}

async function lost(send, count) {
  let [left, losses] = [count, 0]
  const worker = async () => {
    while (left > 0) {
      left -= 1
      if ((await send().catch(() => undefined)) !== 429) losses += 1
    }
  }
  await Promise.all(Array.from({ length: together }, worker))
  return losses
}

async function statusOf(transport, baseUrl, apiKey, bytes) {
  const body = {
    contentType: 'multipart/form-data; boundary=early',
    length: bytes,
    async *chunks() {
      for (let left = bytes; left > 0; left -= 65_536) yield Buffer.alloc(Math.min(left, 65_536))
    },
  }
  const headers = { 'X-Api-Key': apiKey }
  const response = await transport.send({ method: 'POST', url: `${baseUrl}/api/upload`, headers, body })
  for await (const _ of response.body);
  return response.status
}
