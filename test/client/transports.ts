import { setupServer } from 'msw/node'
import { afterAll, beforeAll } from 'vitest'
import type { Emulator } from '../../emulator/index.ts'
import { emulatorHandlers } from '../../emulator/testing/msw.ts'
import { type ClientOptions, fetchTransport, nodeTransport, type Transport } from '../../src/index.ts'

/** How a client reaches an emulator. */
export interface Door {
  readonly name: string
  /** Called in the `describe` of the tests that use it. */
  prepare?(): void
  enter(emulator: Emulator): Promise<Pick<ClientOptions, 'baseUrl' | 'transport'>>
}

/** The global fetch, looked up at each call, because MSW replaces it. */
const globalFetch: typeof fetch = (...request) => fetch(...request)

const onSocket = async (emulator: Emulator) => ({ baseUrl: (await emulator.listen({ port: 0 })).baseUrl })

const server = setupServer()
let addresses = 0

/** MSW replaces the network while these tests run; nothing else answers. */
const intercepted = (name: string, transport: () => Transport): Door => ({
  name: `${name} through MSW`,
  prepare() {
    beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
    afterAll(() => server.close())
  },
  async enter(emulator) {
    addresses += 1
    const baseUrl = `https://emulator-${addresses}.test`
    server.use(...emulatorHandlers(emulator, { baseUrl }))
    return { baseUrl, transport: transport() }
  },
})

export const doors: readonly Door[] = [
  {
    name: 'in process',
    enter: async ({ fetch }) => ({ baseUrl: 'http://127.0.0.1', transport: fetchTransport(fetch) }),
  },
  { name: 'undici on a socket', enter: onSocket },
  {
    name: 'node:http on a socket',
    enter: async (emulator) => ({ ...(await onSocket(emulator)), transport: nodeTransport() }),
  },
  {
    name: 'global fetch on a socket',
    enter: async (emulator) => ({ ...(await onSocket(emulator)), transport: fetchTransport(globalFetch) }),
  },
  intercepted('global fetch', () => fetchTransport(globalFetch)),
  intercepted('node:https', nodeTransport),
]
