import { createClient } from 'filehost'

test('jsdom gets the build for browsers', () => {
  expect(() => createClient({ baseUrl: 'https://files.example', apiKey: 'key' })).toThrow(
    expect.objectContaining({ code: 'not-for-browsers', hint: expect.stringContaining('customExportConditions') }),
  )
})

test('jsdom gets the emulator', async () => {
  const { createEmulator } = await import('filehost/emulator')
  const emulator = await createEmulator({ clock: 'virtual' })
  const { baseUrl } = await emulator.listen({ port: 0 })
  expect(baseUrl).toMatch(/^http:/)
  await emulator.close()
})
