import { createEmulator } from 'filehost/emulator'
import { emulatorHandlers } from 'filehost/msw'
import { setupServer } from 'msw/node'
import { onTestFinished } from 'vitest'

export const apiKey = 'test-key'
export const headers = { 'X-Api-Key': apiKey }
/** Nothing listens there. */
export const baseUrl = 'http://127.0.0.1:59999'

/** An emulator that answers what MSW intercepts, until the test ends. */
export async function intercepted() {
  const emulator = await createEmulator({ apiKey, quotas: 'none' })
  const server = setupServer(...emulatorHandlers(emulator, { baseUrl }))
  server.listen()
  onTestFinished(() => {
    server.close()
    return emulator.close()
  })
  return emulator
}
