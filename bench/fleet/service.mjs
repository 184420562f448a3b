// The emulator as a process of its own, in real time, and what it has to say afterwards.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export const fh = new URL('../../bin/fh.js', import.meta.url).pathname

/** @param {readonly string[]} flags of `fh emulate` */
export async function startService(belongings, flags) {
  const child = spawn(process.execPath, [fh, 'emulate', '--port', '0', '--json', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  belongings.add(() => child.kill('SIGKILL'))
  const died = once(child, 'exit').then(([code]) => Promise.reject(new Error(`fh emulate ended with ${code}`)))
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), died])
  died.catch(() => {})
  const { base_url: baseUrl, api_key: apiKey, control_url: controlUrl } = JSON.parse(line)
  const control = async (path, method = 'GET', body = undefined) => {
    const answer = await fetch(`${controlUrl}${path}`, { method, body: body && JSON.stringify(body) })
    return answer.json()
  }
  return {
    baseUrl,
    apiKey,
    /** Every upload is answered so much later, so that a kill hits it under way. */
    delayUploads: (ms) =>
      control('/faults', 'PUT', [{ match: { path: '/api/upload' }, times: null, action: { type: 'delay', ms } }]),
    end: () => child.kill('SIGKILL'),
    /** @returns the requests, oldest first, what the service has stored by content, and what was refused */
    async outcome() {
      const { requests } = await control('/requests')
      const { records } = await control('/state')
      const copies = new Map()
      for (const { sha256 } of records.uploads) copies.set(sha256, (copies.get(sha256) ?? 0) + 1)
      return { requests, copies, refusals: requests.filter(({ status }) => status === 429).length }
    },
  }
}
