/**
 * @jest-environment jsdom
 * @jest-environment-options {"customExportConditions": ["browser"]}
 */
import { createClient } from 'filehost'
import { createEmulator } from 'filehost/emulator'

test('with jsdom’s own conditions a page gets the build for browsers, and the emulator', async () => {
  expect(() => createClient({ baseUrl: 'https://files.example', apiKey: 'key' })).toThrow(
    expect.objectContaining({ code: 'not-for-browsers', hint: expect.stringContaining('customExportConditions') }),
  )
  const emulator = await createEmulator({ clock: 'virtual' })
  expect((await emulator.listen({ port: 0 })).baseUrl).toMatch(/^http:/)
  await emulator.close()
})
