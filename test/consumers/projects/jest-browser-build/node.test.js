/**
 * @jest-environment-options {"customExportConditions": ["node", "node-addons"]}
 */
import { createClient, nodeTransport } from 'filehost'
import { createEmulator } from 'filehost/emulator'

test('with the conditions of Node, a client uploads from jsdom', async () => {
  const emulator = await createEmulator({ clock: 'virtual' })
  const { baseUrl } = await emulator.listen({ port: 0 })
  const client = createClient({ baseUrl, apiKey: emulator.apiKey, transport: nodeTransport() })
  const gif = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64')
  expect(await client.upload(gif)).toMatchObject({ mime_type: 'image/gif' })
  await client.close()
  await emulator.close()
})
