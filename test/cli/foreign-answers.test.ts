import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes } from '../helpers/media.ts'
import { answer, type Step, scriptedServer } from '../helpers/scripted-server.ts'

/** Stands between `fh` and the service: passes every request on, and answers in the service's place if it has an answer. */
async function proxied() {
  const rig = await emulatedRig()
  const proxy: { instead?: Step | undefined } = {}
  const server = await scriptedServer(async (request, response) => {
    const { method = '', url, headers } = request
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { 'x-api-key': key = '', 'content-type': type = '' } = headers
    const answered = await fetch(`${rig.baseUrl}${url}`, {
      method,
      headers: { 'x-api-key': String(key), 'content-type': type, accept: 'application/json' },
      ...(method === 'POST' && { body: Buffer.concat(chunks) }),
    })
    await (proxy.instead ?? answer(answered.status, await answered.json()))(request, response)
  })
  const fh = (...args: readonly string[]) => rig.fh(args, { env: { FH_BASE_URL: server.baseUrl, FH_RETRIES: '0' } })
  for (const size of [1_000, 1_001, 1_002]) await rig.write(`${size}.jpg`, jpegBytes(size))
  return { fh, proxy, stored: () => rig.emulator.control.health().uploads }
}

test('a portal that answers every request with 403 is sent one file of a batch, which is stored behind it, unknown, and found by the next run', async () => {
  const { fh, proxy, stored } = await proxied()
  expect((await fh('upload', '1000.jpg')).code).toBe(0)
  proxy.instead = answer(403, '<!doctype html>')
  const first = await fh('upload', '-j1', '1001.jpg', '1002.jpg')
  expect([first.code, first.stdout, stored()]).toEqual([8, '', 2])
  expect(first.stderr).toMatch(/1001\.jpg: .*may have been stored\. The list, which would tell, cannot be read/)
  expect(first.stderr).toMatch(/1 not started, 1 of unknown outcome/)
  proxy.instead = undefined
  const second = await fh('upload', '--jsonl', '1001.jpg', '1002.jpg')
  expect(second.code).toBe(0)
  expect(second.stdout).toMatch(/"status":"skipped"(.|\n)*"status":"uploaded"/)
  expect(stored()).toBe(3)
})
