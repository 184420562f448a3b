// `fh emulate` as a process of its own, and calls of its control API.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export const fh = new URL('../bin/fh.js', import.meta.url).pathname

/**
 * @param {readonly string[]} flags of `fh emulate`
 * @param {{ node?: string, env?: Record<string, string> }} [how] which Node runs it, and what is added to its environment
 */
export async function startService(flags, { node = process.execPath, env = {} } = {}) {
  const child = spawn(node, [fh, 'emulate', '--port', '0', '--json', ...flags], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const died = once(child, 'exit').then(([code]) => Promise.reject(new Error(`fh emulate ended with ${code}`)))
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), died])
  died.catch(() => {})
  const { base_url: baseUrl, api_key: apiKey, control_url: controlUrl } = JSON.parse(line)
  return {
    baseUrl,
    apiKey,
    pid: child.pid,
    /** What `fh` needs to know of it. */
    env: { FH_BASE_URL: baseUrl, FH_API_KEY: apiKey },
    async control(path, method = 'GET', body = undefined) {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(`${controlUrl}${path}`, { method, headers, body: body && JSON.stringify(body) })
      if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
      return answer.status === 204 ? undefined : await answer.json()
    },
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill()
      await once(child, 'exit')
    },
  }
}

/** The value of `--name=value` of this command line. */
export function option(name, usual) {
  return process.argv.find((text) => text.startsWith(`--${name}=`))?.slice(name.length + 3) ?? usual
}
