import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import type { Emulator } from '../../emulator/index.ts'
import { mediaPath } from '../helpers/media.ts'

/** Drawn landscapes: a photograph would have an author and a licence. */
const scenes = {
  'Dawn over the delta': scene('#fde2c8', '#f49f7c', '#c95f6b', '#43506b'),
  'Carpathian ridge': scene('#dff1fb', '#9cc4dd', '#4f7f9f', '#24435c'),
  'Meadow in June': scene('#e9f6d8', '#bcd97a', '#6fa04e', '#2f5d3a'),
  'Lighthouse, late evening': scene('#2b2d5b', '#5d4a8a', '#a3669b', '#1b1b36'),
  'First snow': scene('#eef3f8', '#cfd9e4', '#93a5ba', '#4b5d73'),
  'Dunes at noon': scene('#fdf6d9', '#f3d98b', '#d9a94f', '#8d6a34'),
} as const

/**
 * Fills a service with what an account has after three days: photos and a video, and requests of every outcome.
 *
 * @returns the slugs of the uploads, the oldest first
 */
export async function busyService(emulator: Emulator): Promise<readonly string[]> {
  const { clock, uploads, faults } = emulator.control
  await clock.set('2026-05-11T05:40:00Z')
  const call = (method: string, path: string, body?: FormData) =>
    emulator.fetch(`http://localhost${path}`, { method, headers: { 'X-Api-Key': emulator.apiKey }, body: body ?? null })
  const upload = async (title: string, file: File) => {
    const form = new FormData()
    form.set('file', file)
    const answer = await call('POST', '/api/upload', form)
    const { upload: made } = (await answer.json()) as { readonly upload: { readonly slug: string } }
    await uploads.update(made.slug, { title, views: 17 * title.length, likes: title.length % 7 })
    return made.slug
  }

  const slugs: string[] = []
  for (const [index, [title, drawing]] of Object.entries(scenes).entries()) {
    // As a camera would make it.
    const photo = await sharp(Buffer.from(drawing)).jpeg({ quality: 82 }).toBuffer()
    slugs.push(await upload(title, new File([photo], `${index}.jpg`, { type: 'image/jpeg' })))
    await clock.advance('7h')
  }
  const video = new File([await readFile(mediaPath('clip.mp4'))], 'raccoon.mp4', { type: 'video/mp4' })
  slugs.push(await upload('A guest in the garden', video))
  await clock.advance('1m')

  for (let hour = 0; hour < 36; hour++) {
    for (const request of requestsOf(hour)) await call('GET', request)
    await clock.advance('1h')
  }
  faults.set([{ match: { path: '/api/uploads' }, times: 1, action: { type: 'status', status: 503 } }])
  for (const [method = '', path = ''] of lastRequests(slugs[0] ?? '')) {
    await call(method, path)
    await clock.advance('500ms')
  }
  return slugs
}

/** A working day is quiet at night and busiest in the afternoon; now and then a client sends more than it may. */
function requestsOf(hour: number): readonly string[] {
  const busy = Math.max(0, Math.round(9 * Math.sin(((hour % 24) / 24) * Math.PI * 2 - 1.2) + 5))
  const usual = Array.from({ length: busy }, (_, round) => (round % 3 === 0 ? '/api/stats' : '/api/uploads'))
  const missing = hour % 7 === 3 ? ['/api/uploads/gone'] : []
  const tooMany = hour % 9 === 5 ? Array.from({ length: 24 }, () => '/api/stats') : []
  return [...usual, ...missing, ...tooMany]
}

/** One of every kind, and at the end more than the quota of ten seconds has. */
function lastRequests(slug: string): readonly (readonly string[])[] {
  const [upload, list, stats] = [`/api/uploads/${slug}`, 'GET /api/uploads', 'GET /api/stats']
  const calls = [stats, list, list, `GET ${upload}`, 'GET /api/uploads/gone', 'POST /api/upload', `PUT ${upload}`, list]
  return [...calls, ...Array.from({ length: 8 }, () => stats)].map((call) => call.split(' '))
}

function scene(sky: string, far: string, middle: string, near: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="800" viewBox="0 0 1200 800">
<rect width="1200" height="800" fill="${sky}"/>
<circle cx="860" cy="230" r="90" fill="${far}"/>
<path d="M0 470 Q300 310 600 440 T1200 430 V800 H0Z" fill="${far}"/>
<path d="M0 590 Q220 450 500 560 T1200 540 V800 H0Z" fill="${middle}"/>
<path d="M0 690 Q300 590 640 690 T1280 660 V800 H0Z" fill="${near}"/>
</svg>`
}
