import { expect, test } from 'vitest'
import { jpegBytes } from '../../../helpers/media.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'
import { emulated, json, send } from '../emulated.ts'

test('views stop at the largest exact integer, which another emulator accepts in a snapshot', async () => {
  const emulator = await emulated()
  const { upload } = await json(send(emulator, 'POST', '/api/upload', fileForm(jpegBytes(500))))
  await emulator.control.uploads.update(upload.slug, { views: Number.MAX_SAFE_INTEGER })
  for (const path of [`/i/${upload.slug}.jpg`, `/i/${upload.slug}`, `/i/${upload.slug}.jpg`]) {
    const answer = await emulator.fetch(new Request(`http://h${path}`))
    expect(answer.status).toBe(200)
    await answer.arrayBuffer()
  }
  const snapshot = await emulator.control.state.get()
  const other = await emulated()
  await other.control.state.restore(JSON.parse(JSON.stringify(snapshot)))
  expect(await other.control.state.get()).toEqual(snapshot)
  const answer = await json(
    send(other, 'GET', `/api/uploads/${upload.slug}`, { headers: { 'X-Api-Key': emulator.apiKey } }),
  )
  expect(answer.upload.views).toBe(Number.MAX_SAFE_INTEGER)
})
