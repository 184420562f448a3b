import { once } from 'node:events'
import { createServer } from 'node:net'

/** Ports that no system gives out by itself: who was told of one meets nobody else there. */
const [lowest, count] = [20_000, 10_000]
let turn = process.pid

/** An address at which nobody listens, and nobody will; of processes that ask at the same time each gets another. */
export async function deadAddress(): Promise<string> {
  for (;;) {
    turn += 1
    const port = lowest + (turn % count)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    await new Promise((resolve) => server.close(resolve))
    return `http://127.0.0.1:${port}`
  }
}
