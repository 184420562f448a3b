import { onTestFinished } from 'vitest'
import type { Upload } from '../../src/protocol/resources.ts'
import { createRig, type Rig, type StartOptions } from './rig.ts'

/** Runs `fh emulate` with these flags on a free port, without quotas, until the test ends. `call` sends its key. */
export async function runningEmulator(...flags: readonly string[]) {
  return await startEmulator(await createRig(), flags)
}

/** As {@link runningEmulator}, in a rig of the test's. */
export async function startEmulator(rig: Rig, flags: readonly string[], options: StartOptions = {}) {
  const all = ['emulate', '--json', '--port', '0', '--api-key', 'k', '--no-quota', ...flags]
  const running = rig.start(all, options)
  const stop = async () => {
    running.child.kill('SIGTERM')
    return await running.ended
  }
  onTestFinished(async () => void (await stop()))
  const ready = JSON.parse(await running.printed('stdout', /\n/))
  const { base_url: baseUrl } = ready
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${baseUrl}${path}`, { ...init, headers: { 'X-Api-Key': 'k', ...init.headers } })
  /** Uploads a file of these bytes; without `upload` where it is refused. */
  const upload = async (bytes: Buffer, name = 'a.jpg') => {
    const body = new FormData()
    body.append('file', new Blob([Uint8Array.from(bytes)]), name)
    const answer = await call('/api/upload', { method: 'POST', body })
    return { status: answer.status, ...((await answer.json()) as { readonly upload: Upload }) }
  }
  return { rig, running, ready, baseUrl, port: Number(new URL(baseUrl).port), call, upload, stop }
}
