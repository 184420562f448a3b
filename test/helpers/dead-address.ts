import { once } from 'node:events'
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Below the ports that systems hand out on request, so that no other program gets one of them. */
const [lowest, count] = [20_000, 10_000]
let turn = process.pid

/** Has a file for each port that a process of the tests was given: a server may be killed, and start there again. */
const folder = join(tmpdir(), 'fh-test-ports')
/** Longer than a run of all tests. */
const GIVEN_FOR_MS = 3_600_000

/** An address at which nothing listens, and which no test of another process gets. */
export async function deadAddress(): Promise<string> {
  for (;;) {
    turn += 1
    const port = lowest + (turn % count)
    if (!claim(join(folder, String(port)))) continue
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

function claim(path: string): boolean {
  mkdirSync(folder, { recursive: true })
  try {
    writeFileSync(path, '', { flag: 'wx' })
    return true
  } catch {
    const { mtimeMs = Date.now() } = statSync(path, { throwIfNoEntry: false }) ?? {}
    if (Date.now() - mtimeMs > GIVEN_FOR_MS) rmSync(path, { force: true })
    return false
  }
}
