import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { runningEmulator } from '../helpers/running-emulator.ts'

/** The most memory that a process has had, in kB. */
function mostMemory(pid: number | undefined): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

/** Sends a form with a JPEG of so many MiB as it is made. */
async function uploadOf(mebibytes: number, url: string) {
  const headers = { 'X-Api-Key': 'k', 'Content-Type': 'multipart/form-data; boundary=b' }
  const sending = request(`${url}/api/upload`, { method: 'POST', headers })
  const answered = once(sending, 'response')
  sending.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n')
  const chunk = Buffer.alloc(1_048_576)
  chunk.set([0xff, 0xd8, 0xff, 0xe0])
  for (let sent = 0; sent < mebibytes; sent += 1) if (!sending.write(chunk)) await once(sending, 'drain')
  sending.end('\r\n--b--\r\n')
  const [answer]: [IncomingMessage] = (await answered) as never
  return JSON.parse(await text(answer))
}

test.skipIf(process.platform !== 'linux')(
  'an upload of 190 MiB and its download take fh emulate less than 32 MiB beyond its start',
  async () => {
    const { running, baseUrl } = await runningEmulator()
    const atStart = mostMemory(running.child.pid)
    const { upload } = await uploadOf(190, baseUrl)
    let received = 0
    for await (const chunk of (await fetch(upload.direct_url)).body ?? []) received += chunk.length
    expect([upload.size, received]).toEqual([190 * 1_048_576, 190 * 1_048_576])
    expect(mostMemory(running.child.pid) - atStart).toBeLessThan(32 * 1024)
  },
)
