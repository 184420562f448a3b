// A slow network: a TCP proxy on loopback that delivers late and in order, and can be broken.
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
  let whole = Promise.resolve()
  let mend
  let extraMs = 0

  function carry(from, to, distanceMs) {
    let delivered = whole
    const later = (deliver) => {
      const dueAt = performance.now() + distanceMs * Math.random() + extraMs
      delivered = delivered.then(async () => {
        const leftMs = dueAt - performance.now()
        if (leftMs > 0) await sleep(leftMs)
        await whole
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
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const close = () => {
    server.close()
    cut()
  }
  belongings.add(close)
  return {
    url: `redis://127.0.0.1:${server.address().port}`,
    /** Ends all connections; new ones are taken. */
    cut,
    /** From now on nothing arrives, and no connection is seen to end. */
    swallow() {
      whole = new Promise((resolve) => {
        mend = resolve
      })
    },
    /** What was held back arrives. */
    mend: () => mend?.(),
    /** Every piece of data takes so much longer. */
    slowDown(ms) {
      extraMs = ms
    },
    close,
  }
}
