test('a new account has no uploads', async () => {
  const { createEmulator } = await import('filehost/emulator')
  const emulator = await createEmulator({ apiKey: 'test-key', clock: 'virtual' })
  const answer = await emulator.fetch('/api/stats', { headers: { 'X-Api-Key': 'test-key' } })
  expect(await answer.json()).toMatchObject({ uploads: 0 })
  await emulator.close()
})
