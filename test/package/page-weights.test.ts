import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import type { Emulator } from '../../emulator/index.ts'

async function builtEmulator(): Promise<Emulator> {
  const { createEmulator } = await import(pathToFileURL(resolve('dist/emulator.js')).href)
  return createEmulator({ clock: 'virtual' })
}

/** The bytes of a page with all that it loads, uncompressed, and the addresses that it loads. */
async function weigh({ fetch }: Emulator, address: string, cookie = '') {
  const url = new URL(address, 'http://localhost')
  const page = await (await fetch(url, { headers: { cookie } })).text()
  const parts = [...page.matchAll(/<(?:link|script|img)\b[^>]*?(?:href|src)="([^"]+)"/g)].map(([, part = '']) => part)
  const texts = await Promise.all(parts.map(async (part) => (await fetch(new URL(part, url))).text()))
  return { parts, bytes: Buffer.byteLength([page, ...texts].join('')) }
}

/** The cookie of the first account. */
async function signedIn({ fetch }: Emulator): Promise<string> {
  const body = new URLSearchParams({ email: 'user@example.com', password: 'password' })
  const init = { method: 'POST', body, headers: { 'sec-fetch-site': 'same-origin' }, redirect: 'manual' } as const
  const answer = await fetch('http://localhost/login', init)
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

test('no page of the site weighs more than 30 kB with all that it loads, and none loads anything from elsewhere', async () => {
  const emulator = await builtEmulator()
  const cookie = await signedIn(emulator)
  for (const address of ['/', '/login', '/albums', '/feed', '/cont/cheie-api']) {
    const { bytes, parts } = await weigh(emulator, address, cookie)
    expect(bytes, address).toBeLessThan(30_000)
    expect(bytes, address).toBeGreaterThan(5_000)
    expect(
      parts.filter((part) => /^(https?:)?\/\//.test(part)),
      address,
    ).toEqual([])
  }
  await emulator.close()
})

test('the dashboard weighs less than 60 kB with all that it loads', async () => {
  const emulator = await builtEmulator()
  const { bytes } = await weigh(emulator, '/_emulator/ui')
  expect(bytes).toBeLessThan(60_000)
  expect(bytes).toBeGreaterThan(1_000)
  await emulator.close()
})
