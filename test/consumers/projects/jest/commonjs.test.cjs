let emulator

beforeAll(async () => {
  const { createEmulator } = await import('filehost/emulator')
  emulator = await createEmulator({ apiKey: 'test-key', clock: 'virtual' })
})

afterAll(() => emulator.close())

test('a new account has no uploads', async () => {
  const answer = await emulator.fetch('/api/stats', { headers: { 'X-Api-Key': 'test-key' } })
  expect((await answer.json()).uploads).toBe(0)
})
