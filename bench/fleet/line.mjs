// A slow network: a TCP proxy on loopback that delivers late and in order.
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Every connection is as far away as chance decides, and each piece of data takes up to that long, each way.
 *
 * @param {{ add: (end: () => unknown) => void }} belongings
 * @param {number} target the port on loopback that the line leads to
 * @param {number} upToMs the longest delay each way
 */
export async function openLine(belongings, target, upToMs = 50) {
  const sockets = new Set()

  function carry(from, to, distanceMs) {
    let delivered = Promise.resolve()
    const later = (deliver) => {
      const dueAt = performance.now() + distanceMs * Math.random()
      delivered = delivered.then(async () => {
        const leftMs = dueAt - performance.now()
        if (leftMs > 0) await sleep(leftMs)
        deliver()
      })
    }
    from.on('data', (bytes) => later(() => to.writable && to.write(bytes)))
    from.on('end', () => later(() => to.end()))
    from.on('error', () => to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      later(() => to.destroy())
    })
  }

  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    const distanceMs = upToMs * Math.random()
    for (const socket of [near, far]) sockets.add(socket.setNoDelay(true))
    carry(near, far, distanceMs)
    carry(far, near, distanceMs)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  belongings.add(close)
  return {
    url: `redis://127.0.0.1:${server.address().port}`,
    close,
  }
}
