import { expect } from 'vitest'
import type { Emulator } from '../../../../emulator/index.ts'
import { jpegBytes } from '../../../helpers/media.ts'
import { send, uploaded } from '../emulated.ts'
import { list, row } from './wire-row.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

async function createdAt(emulator: Emulator) {
  await emulator.control.clock.advance(520)
  return (await uploaded(emulator)).created_at
}

async function inOtherCase(emulator: Emulator) {
  const swap = (letter: string) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase())
  const path = `/api/uploads/${[...(await uploaded(emulator)).slug].map(swap).join('')}`
  const other = emulator.control.accounts.create().api_key
  const ask = async (method: string, key = emulator.apiKey) =>
    (await send(emulator, method, path, { headers: { 'X-Api-Key': key } })).status
  return [await ask('GET', other), await ask('GET'), await ask('DELETE'), await ask('GET')]
}

/** The total of the list and the status of the new upload, at once, just before 1.5 seconds and then. */
async function appearance(emulator: Emulator) {
  const { slug } = await uploaded(emulator)
  const found: unknown[] = []
  for (const ms of [0, 1_499, 1]) {
    await emulator.control.clock.advance(ms)
    found.push(`${(await list(emulator)).total} ${(await send(emulator, 'GET', `/api/uploads/${slug}`)).status}`)
  }
  return found
}

async function sameContent(emulator: Emulator) {
  const other = Buffer.concat([jpegBytes(99), Buffer.from('x')])
  const slugs = [await uploaded(emulator), await uploaded(emulator), await uploaded(emulator, other)].map(
    ({ slug }) => slug,
  )
  return [slugs[0] === slugs[1], slugs[0] === slugs[2], (await list(emulator)).total]
}

async function emptyHeader(emulator: Emulator) {
  const ask = (query: string) =>
    emulator.fetch(new Request(`http://h/api/stats${query}`, { headers: { 'X-Api-Key': '' } }))
  await ask('?api_key=key')
  await ask('')
  return emulator.control.requests.list().requests.map(({ status, key_in }) => `${status} ${key_in}`)
}

async function forwarded(emulator: Emulator) {
  emulator.control.accounts.update(1, { ip_allowlist: ['8.8.8.0/24'] })
  for (const chain of ['9.9.9.9, 8.8.8.8:1234', '8.8.8.8, 9.9.9.9', 'unknown']) {
    await send(emulator, 'GET', '/api/stats', { headers: { 'X-Forwarded-For': chain } })
  }
  return emulator.control.requests.list().requests.map(({ status, client_ip }) => `${status} ${client_ip}`)
}

const path = 'C:\\photos/Sărbători 🎄.jpg'

export const uploadRows = [
  row('title', 'filename', 'Sărbători 🎄.jpg', async (it) => (await uploaded(it, 9, path)).title),
  row('created_at_format', 'micros', '2026-01-15T14:00:00.520000+02:00', createdAt),
  row('created_at_format', 'zulu', '2026-01-15T12:00:00.520000Z', createdAt),
  row('slug_style', 'uuid', expect.stringMatching(uuid), async (it) => (await uploaded(it)).slug),
  row('case_insensitive_slugs', true, [404, 200, 200, 404], inOtherCase),
  row('visible_after_ms', 1_500, ['0 404', '0 404', '1 200'], appearance),
  row('duplicate_content', 'same_slug', [true, false, 2], sameContent),
  row('empty_header_key', 'falls_back', ['200 query', '401 none'], emptyHeader, { apiKey: 'key' }),
  row('trust_forwarded_for', true, ['200 8.8.8.8', '403 9.9.9.9', '403 127.0.0.1'], forwarded),
]
