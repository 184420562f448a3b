import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { jpegBytes, uploadObject } from '../helpers/media.ts'
import { stillTime } from '../helpers/preload.ts'
import { createRig, type Rig } from '../helpers/rig.ts'
import { answer, held, type Step, scriptedServer } from '../helpers/scripted-server.ts'
import { openTerminal, runOnTerminal, terminalTest } from '../helpers/terminal.ts'

const widths = [40, 80, 160]
const uploads = [
  { ...uploadObject, size: 48_102, views: 1_204, created_at: '2020-03-01T09:30:12+02:00' },
  {
    ...uploadObject,
    slug: 'zZ9yY8xX7w',
    title: '休日の写真 – Überblick',
    url: 'http://h/i/zZ9yY8xX7w',
    thumb_url: 'http://h/t/zZ9yY8xX7w.jpg',
    mime_type: 'video/mp4',
    size: 104_857_600,
    created_at: '2020-02-29T23:59:59+00:00',
  },
]
const [, video] = uploads
const longTitle = '休日の写真 – '.repeat(20)
const page = { data: uploads, current_page: 1, last_page: 3, per_page: 50, total: 102 }
const stats = { uploads: 1_204, albums: 3, total_views: 98_765, api_requests: 43 }
const quotaHeaders = { 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '24', 'X-RateLimit-Cost': '1' }

interface Scene {
  readonly name: string
  readonly args: readonly string[]
  readonly step?: Step
  /** The end of the screen to wait for, if the command does not end before it is stopped. */
  readonly shows?: RegExp
}

const refused = answer(429, { error: 'Rate limit exceeded (per hour).' }, { 'Retry-After': '2970' })
const files = ['a.jpg', 'holiday/a name that is far too long for a narrow window.jpg']
const sent = /0\/2.*\n.*sent, wai.*answer$/
const waiting = /0\/2 .* left\na\.jpg +Waiting 49.*\d\d:\d\d$/

const anyUpload: Step = (request, response) => {
  const upload = uploads.find(({ slug }) => request.url?.endsWith(slug))
  return answer(200, { upload })(request, response)
}

const scenes: readonly Scene[] = [
  { name: 'help', args: ['--help'] },
  { name: 'list', args: ['list'], step: answer(200, page) },
  {
    name: 'list of titles',
    args: ['list', '--fields', 'slug,title,url'],
    step: answer(200, { ...page, data: uploads.map((upload) => ({ ...upload, title: longTitle })) }),
  },
  { name: 'show', args: ['show', 'zZ9yY8xX7w'], step: answer(200, { upload: video }) },
  { name: 'stats', args: ['stats'], step: answer(200, stats, quotaHeaders) },
  { name: 'quota', args: ['quota'] },
  { name: 'plan', args: ['upload', '-n', ...files] },
  { name: 'delete', args: ['delete', 'a1B2c3D4e5', 'zZ9yY8xX7w'], step: anyUpload, shows: /\[y\/N\]$/ },
  { name: 'upload', args: ['upload', '-j', '1', ...files], step: held(201, {}).step, shows: sent },
  { name: 'upload that waits', args: ['upload', '-j', '1', ...files], step: refused, shows: waiting },
  { name: 'error', args: ['show', 'gone'], step: answer(404, { message: 'No query results for model [Upload].' }) },
]

terminalTest.each(scenes)('on terminals of 40, 80 and 160 columns: $name', async (scene) => {
  const screens: string[] = []
  for (const columns of widths) {
    const rig = await createRig({ service: await scriptedServer(scene.step ?? answer(500, '')) })
    for (const [index, file] of files.entries()) await rig.write(file, jpegBytes(48_102 + index))
    const lines = await screenOf(scene, rig, columns)
    screens.push(`--- ${columns} ${'-'.repeat(columns - 5 - String(columns).length)}`, ...lines)
  }
  const path = fileURLToPath(new URL(`screens/${scene.name.replaceAll(' ', '-')}.txt`, import.meta.url))
  await expect(`${screens.join('\n')}\n`).toMatchFileSnapshot(path)
})

async function screenOf({ args, shows }: Scene, rig: Rig, columns: number): Promise<readonly string[]> {
  const options = { columns, rows: 60, env: stillTime }
  if (shows === undefined && args[0] !== '--help') {
    return onScreen((await runOnTerminal(rig, args, options)).paragraphs(), columns)
  }
  const terminal = openTerminal(rig, args, options)
  await (shows === undefined ? terminal.ended : terminal.shows(shows))
  return onScreen(terminal.paragraphs(), columns)
}

function onScreen(paragraphs: readonly string[], columns: number): readonly string[] {
  return paragraphs.flatMap((paragraph) => wrapped(masked(paragraph), columns))
}

/** What differs from run to run, at the width it has. */
function masked(text: string): string {
  return text
    .replace(/127\.0\.0\.1:\d{5}/g, '127.0.0.1:ppppp')
    .replace(/\d\d:\d\d(:\d\d)?/g, (time) => time.replace(/\d/g, '0'))
}

/** As the terminal does it; a line that fits is left alone, with wide characters too. */
function wrapped(text: string, columns: number): readonly string[] {
  return text.length <= columns ? [text] : (text.match(new RegExp(`.{1,${columns}}`, 'g')) ?? [])
}
