import { basename } from 'node:path'
import open from 'open'
import { reasonOf } from '../../system/system-errors.ts'
import type { Warning } from './events.ts'
import { notes } from './notes.ts'

const MOST_PAGES = 5

/** Opens the first pages in the browser. A failure is only a warning, and ends it: the others would fail too. */
export async function openPages(addresses: readonly string[], warn: (warning: Warning) => void): Promise<void> {
  for (const address of addresses.slice(0, MOST_PAGES)) {
    const problem = await openPage(address)
    if (problem !== undefined) return warn({ message: notes.notDone(`${address} was`, 'opened', problem) })
  }
}

/** @returns why no program was started to open it; undefined if one was, whatever that program then does */
async function openPage(address: string): Promise<string | undefined> {
  // Normalised, so that no program can take it for a flag or a path.
  const { protocol = '', href = '' } = URL.parse(address) ?? {}
  if (!/^https?:$/.test(protocol)) return 'it is not a web address'
  try {
    await open(href)
    return undefined
  } catch (error) {
    const { code, path = '' } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? `${basename(path)} is not installed` : reasonOf(error)
  }
}
