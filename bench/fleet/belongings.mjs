// What a run has started: processes, servers and folders. They end with the run, at Ctrl-C too.
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Gives `work` a place to note what it starts, and ends all of it afterwards, the newest first.
 *
 * @param {(belongings: { folder: string, add: (end: () => unknown) => void }) => Promise<void>} work
 * @param {number} limitMs what takes longer is ended and fails
 */
export async function withBelongings(work, limitMs) {
  const folder = await mkdtemp(join(tmpdir(), 'fh-fleet-'))
  const ends = []
  const endAll = () => {
    for (const end of ends.splice(0).reverse()) void end()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
  const interrupted = (signal) => {
    endAll()
    process.exit(signal === 'SIGINT' ? 130 : 143)
  }
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted)
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${limitMs / 60_000} minutes`)), limitMs)
  })
  try {
    await Promise.race([work({ folder, add: (end) => ends.push(end) }), late])
  } finally {
    clearTimeout(timer)
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
    endAll()
  }
}
