import { onTestFinished } from 'vitest'
import { type Client, type ClientEvent, type ClientOptions, createClient } from '../../src/index.ts'
import { instantClock } from './instant-clock.ts'
import { type Step, scriptedServer } from './scripted-server.ts'

/** A client on an instant clock, and the scripted server that it talks to. */
export async function scriptedClient(steps: readonly Step[], options: Partial<ClientOptions> = {}) {
  const server = await scriptedServer(...steps)
  const clock = instantClock()
  const events: ClientEvent[] = []
  const client: Client = createClient({
    baseUrl: server.baseUrl,
    apiKey: 'secret-key',
    clock,
    onEvent: (event) => events.push(event),
    ...options,
  })
  onTestFinished(() => client.close())
  return { client, server, clock, events }
}
