import { chmodSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Upload } from '../../src/protocol/resources.ts'
import { mediaPath } from '../helpers/media.ts'
import { createRig, type Rig, type StartOptions } from '../helpers/rig.ts'
import { until } from '../helpers/until.ts'

async function started(rig: Rig, options: StartOptions = {}) {
  const flags = ['--json', '--port', '0', '--data', 'data', '--no-quota', '--set', 'thumbnail_delay_ms=0']
  const running = rig.start(['emulate', ...flags], options)
  const ready = JSON.parse(await running.printed('stdout', /\n/))
  const call = async (method: string, path: string, body?: FormData) => {
    const init = { method, headers: { 'X-Api-Key': ready.api_key }, ...(body && { body }) }
    return (await (await fetch(`${ready.base_url}${path}`, init)).json()) as { readonly upload: Upload }
  }
  const upload = async (bytes: Uint8Array<ArrayBuffer>, name: string) => {
    const form = new FormData()
    form.append('file', new Blob([bytes]), name)
    return (await call('POST', '/api/upload', form)).upload
  }
  return { running, ready, call, upload }
}

function chunk(type: string, body: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type), body])
  const framed = Buffer.alloc(8 + named.length)
  framed.writeUInt32BE(body.length)
  framed.set(named, 4)
  framed.writeUInt32BE(crc32(named), 4 + named.length)
  return framed
}

/** A PNG of a few bytes that says it has 90,000,000 × 1 pixels of 8 bytes. */
function enormousPng(): Buffer<ArrayBuffer> {
  const head = Buffer.from([5, 0x5d, 0x4a, 0x80, 0, 0, 0, 1, 16, 6, 0, 0, 0])
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  const bytes = [
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.alloc(9))),
    chunk('IEND', signature.subarray(0, 0)),
  ]
  return Buffer.from(Buffer.concat(bytes))
}

test('a PNG of 74 bytes that says it is enormous costs no memory, and the next picture has its thumbnail', async () => {
  const rig = await createRig()
  const { running, call, upload } = await started(rig)
  const enormous = await upload(enormousPng(), 'enormous.png')
  const photo = await upload(Uint8Array.from(await readFile(mediaPath('photo.jpg'))), 'photo.jpg')
  await until(async () => (await call('GET', `/api/uploads/${photo.slug}`)).upload.thumb_url !== null)
  expect((await call('GET', `/api/uploads/${enormous.slug}`)).upload.thumb_url).toBe(null)
  if (process.platform === 'linux') {
    const status = await readFile(`/proc/${running.child.pid}/status`, 'utf8')
    expect(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1])).toBeLessThan(400_000)
  }
  running.child.kill('SIGTERM')
  expect((await running.ended).code).toBe(0)
})

test('without ffmpeg a line at the start says what a video has for a thumbnail, health does not name it, and that is so', async () => {
  const rig = await createRig({ env: { PATH: '/nowhere' } })
  const { running, ready, call, upload } = await started(rig)
  const health = await (await fetch(`${ready.control_url}/health`)).json()
  expect(health).toMatchObject({ capabilities: expect.not.arrayContaining(['video_thumbnails']) })
  const clip = await upload(Uint8Array.from(await readFile(mediaPath('clip.mp4'))), 'clip.mp4')
  await until(async () => (await call('GET', `/api/uploads/${clip.slug}`)).upload.thumb_url !== null)
  running.child.kill('SIGTERM')
  await running.ended
  const text = await rig.start(['emulate', '--port', '0'])
  expect(await text.printed('stderr', /\n/)).toContain('Thumbnails: videos get a grey picture (install ffmpeg)')
  text.child.kill('SIGTERM')
  await text.ended
})

test('SIGTERM while ffmpeg does not answer ends it and the emulator, and the next run has the upload', {
  timeout: 15_000,
}, async () => {
  const rig = await createRig()
  const place = join(rig.folder, 'bin', 'ffmpeg')
  await rig.write('bin/ffmpeg', '#!/bin/sh\necho $$ > "$(dirname "$0")/pid"\ntrap "" TERM\nexec sleep 60\n')
  chmodSync(place, 0o700)
  const env = { PATH: `${dirname(place)}:${process.env['PATH']}` }
  const { running, upload } = await started(rig, { env })
  void upload(Uint8Array.from(await readFile(mediaPath('clip.mp4'))), 'clip.mp4').catch(() => {})
  const pid = async () => Number(await readFile(join(dirname(place), 'pid'), 'utf8').catch(() => ''))
  await until(async () => (await pid()) > 0)
  const ffmpeg = await pid()
  running.child.kill('SIGTERM')
  expect((await running.ended).code).toBe(0)
  expect(() => process.kill(ffmpeg, 0)).toThrow('ESRCH')
})
