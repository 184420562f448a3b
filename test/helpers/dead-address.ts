import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that systems hand out on request, so that no other program gets one of them. */
const [lowest, count] = [20_000, 10_000]
let turn = process.pid

/** An address at which nothing listens. Processes that ask at the same time get different ones. */
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
