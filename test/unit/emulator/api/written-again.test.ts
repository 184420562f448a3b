import { expect, test } from 'vitest'
import { emulated, send, uploaded } from '../emulated.ts'

test('a list and an upload that were asked for before show what has changed since', async () => {
  const emulator = await emulated()
  const { slug } = await uploaded(emulator)
  const ask = async (path: string) => (await send(emulator, 'GET', path)).text()
  const asked = async () => ({ list: await ask('/api/uploads'), show: await ask(`/api/uploads/${slug}`) })
  const seen = [await asked()]
  expect(await asked()).toEqual(seen[0])
  await emulator.control.uploads.update(slug, { title: 'changed' })
  seen.push(await asked())
  emulator.control.settings.update({ extra_fields: true })
  seen.push(await asked())
  for (const one of ['list', 'show'] as const) expect(new Set(seen.map((each) => each[one])).size).toBe(3)
  emulator.control.settings.update({ links_page_key: true })
  expect(JSON.parse((await asked()).list).links[1]).toMatchObject({ page: 1 })
})
