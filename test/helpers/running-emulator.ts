import { onTestFinished } from 'vitest'
import { createRig } from './rig.ts'

/** Runs `fh emulate` with these flags on a free port, without quotas, until the test ends. `call` sends its key. */
export async function runningEmulator(...flags: readonly string[]) {
  const rig = await createRig()
  const running = rig.start(['emulate', '--json', '--port', '0', '--api-key', 'k', '--no-quota', ...flags])
  onTestFinished(async () => {
    running.child.kill('SIGTERM')
    await running.ended
  })
  const { base_url: baseUrl } = JSON.parse(await running.printed('stdout', /\n/))
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${baseUrl}${path}`, { ...init, headers: { 'X-Api-Key': 'k', ...init.headers } })
  return { rig, baseUrl, port: Number(new URL(baseUrl).port), call }
}
