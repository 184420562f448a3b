// A TCP proxy that limits the bytes per second towards the service, so that an upload takes as long as in real life.
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'

export async function startSlowLine(port, bytesPerSecond) {
  const sockets = new Set()
  const server = createServer((client) => {
    const service = connect(port, '127.0.0.1')
    for (const socket of [client, service]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }
    // The sender notices a broken connection itself.
    pipeline(client, (source) => paced(source, bytesPerSecond), service).catch(() => {})
    service.pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${server.address().port}`,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

async function* paced(source, bytesPerSecond) {
  for await (const chunk of source) {
    yield chunk
    await sleep((chunk.length / bytesPerSecond) * 1_000)
  }
}
