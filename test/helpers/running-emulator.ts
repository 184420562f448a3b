import { onTestFinished } from 'vitest'
import { createRig } from './rig.ts'

/** Runs `fh emulate` on a free port, without quotas, until the test ends. `call` sends its key. */
export async function runningEmulator() {
  const rig = await createRig()
  const running = rig.start(['emulate', '--json', '--port', '0', '--api-key', 'k', '--no-quota'])
  onTestFinished(async () => {
    running.child.kill('SIGTERM')
    await running.ended
  })
  const { base_url: baseUrl } = JSON.parse(await running.printed('stdout', /\n/))
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${baseUrl}${path}`, { ...init, headers: { 'X-Api-Key': 'k', ...init.headers } })
  return { port: Number(new URL(baseUrl).port), call }
}
