import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { deferred } from '../../helpers/deferred.ts'
import { runProgram } from './run-program.ts'

const programs = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/**
 * Opens a page in Chromium, without a window. The page posts its result to the address in its parameter `report`.
 *
 * @returns what the page posted; undefined if this machine has no Chromium
 * @throws Error if the page posts nothing within a minute
 */
export async function reportOfPage(url: string, signal?: AbortSignal): Promise<string | undefined> {
  const program = await installedChromium()
  if (program === undefined) return undefined
  const profile = await mkdtemp(join(tmpdir(), 'fh-chromium-'))
  const over = new AbortController()
  const reported = deferred<string>()
  const collector = createServer(async (request, response) => {
    const body = await text(request)
    response.writeHead(204, { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }).end()
    if (request.method === 'POST') reported.resolve(body)
  }).listen(0, '127.0.0.1')
  await once(collector, 'listening')
  const page = new URL(url)
  page.searchParams.set('report', `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`)
  const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    `--user-data-dir=${profile}`,
    '--remote-debugging-port=0',
  ]
  const ends = AbortSignal.any([over.signal, ...(signal ? [signal] : [])])
  const browser = runProgram(profile, program, [...flags, page.href], { longestMs: 60_000, signal: ends })
  try {
    return await Promise.race([reported.promise, browser.then(failed, failed)])
  } finally {
    over.abort()
    await browser.catch(() => {})
    collector.close()
    collector.closeAllConnections()
    await rm(profile, { recursive: true, force: true, maxRetries: 3 })
  }
}

function failed(end: unknown): never {
  throw new Error('The page reported nothing', { cause: end })
}

/** The program's name; undefined if this machine has none. */
export async function installedChromium(): Promise<string | undefined> {
  for (const program of programs) {
    const found = await runProgram('.', program, ['--version']).catch(() => undefined)
    if (found?.code === 0) return program
  }
  return undefined
}
