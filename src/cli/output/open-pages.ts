import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { basename } from 'node:path'
import { reasonOf } from '../../system/system-errors.ts'
import type { Context } from '../run/context.ts'
import { counted } from './format/format.ts'

/** More tabs at once are no help to anybody. */
const MOST_PAGES = 5
/** How long the opener is given to say that it cannot; it may live as long as the browser it started. */
const OPENER_MS = 1_000

/** Opens pages in the browser, the first few of many; that it cannot is a warning and no failure. */
export async function openPages(addresses: readonly string[], context: Context): Promise<void> {
  const { reporter } = context
  for (const address of addresses.slice(0, MOST_PAGES)) {
    const problem = await openPage(address, context)
    if (problem === undefined) continue
    reporter.report({ type: 'warning', text: `${address} was not opened: ${problem}`, hint: 'Open it by hand' })
    // What kept one from being opened would keep the others too.
    return
  }
  const left = addresses.length - MOST_PAGES
  if (left > 0) reporter.report({ type: 'note', text: `Opened the first ${MOST_PAGES}; ${counted(left, 'page')} left` })
}

/** @returns what went wrong */
async function openPage(address: string, { clock }: Context): Promise<string | undefined> {
  const page = webAddress(address)
  if (page === undefined) return 'it is no web address'
  const over = new AbortController()
  try {
    const { default: open } = await import('open')
    const opener = await open(page)
    const code = await Promise.race([exitCode(opener), clock.sleep(OPENER_MS, over.signal)])
    return code ? `${basename(opener.spawnfile)} ended with ${code}` : undefined
  } catch (error) {
    return reasonOf(error)
  } finally {
    over.abort()
  }
}

/** In its normal form, in which nothing is left that a program could take for anything but an address. */
function webAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, href } = new URL(text)
  return protocol === 'http:' || protocol === 'https:' ? href : undefined
}

async function exitCode(opener: ChildProcess): Promise<number | undefined> {
  if (opener.exitCode !== null) return opener.exitCode
  const [code] = await once(opener, 'exit')
  return code ?? undefined
}
