import { once } from 'node:events'
import { basename } from 'node:path'
import open from 'open'
import type { Clock } from '../../index.ts'
import { reasonOf } from '../../system/system-errors.ts'
import type { Warning } from './events.ts'
import { notes } from './notes.ts'

const MOST_PAGES = 5
/** How long to wait for the opener to fail; it may keep running as long as the browser. */
const OPENER_MS = 1_000

interface Opening {
  readonly clock: Clock
  warn(warning: Warning): void
}

/** Opens the first pages in the browser. A failure is only a warning, and ends it: the others would fail too. */
export async function openPages(addresses: readonly string[], { clock, warn }: Opening): Promise<void> {
  for (const address of addresses.slice(0, MOST_PAGES)) {
    const problem = await openPage(address, clock)
    if (problem !== undefined) return warn({ message: notes.notDone(`${address} was`, 'opened', problem) })
  }
}

/** @returns the reason for a failure; undefined on success */
async function openPage(address: string, clock: Clock): Promise<string | undefined> {
  // Normalised, so that no program can take it for a flag or a path.
  const { protocol = '', href = '' } = URL.parse(address) ?? {}
  if (!/^https?:$/.test(protocol)) return 'it is not a web address'
  const over = new AbortController()
  try {
    const opener = await open(href)
    const exited = once(opener, 'exit').then(([code]) => Number(code))
    const code = opener.exitCode ?? (await Promise.race([exited, clock.sleep(OPENER_MS, over.signal)]))
    return code ? `${basename(opener.spawnfile)} failed with exit code ${code}` : undefined
  } catch (error) {
    const { code, path = '' } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? `${basename(path)} is not installed` : reasonOf(error)
  } finally {
    over.abort()
  }
}
