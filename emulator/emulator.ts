import type { Clock } from '../src/clock.ts'
import { type Control, createControl } from './control/control.ts'
import { createApp } from './http/app.ts'
import type { HttpHandler } from './http/exchange.ts'
import { toFetch } from './http/fetch-adapter.ts'
import { type Listener, type ListenOptions, listen } from './http/node-server.ts'
import { type EmulatorOptions, resolveOptions } from './options.ts'
import { createService } from './service/service.ts'
import { createMemoryRecords } from './storage/memory-records.ts'
import { createTemporaryBlobs } from './storage/temporary-blobs.ts'

/** The whole service, in this process. */
export interface Emulator extends AsyncDisposable {
  /** The key of the first account, as it was at the start. */
  readonly apiKey: string
  /** The service's time; given to a client, both live at the same moment. */
  readonly clock: Clock
  readonly control: Control
  /**
   * Answers a request without a socket; the host in its URL may be any.
   * @throws Error once the emulator is closed; the reason of the request's signal where that aborts
   */
  fetch(request: Request): Promise<Response>
  /**
   * Answers on a socket as well, until the emulator is closed.
   * @throws Error saying what to do where the port is taken
   */
  listen(options?: ListenOptions): Promise<{ readonly baseUrl: string; readonly port: number }>
  /** Finishes what is being answered, ends connections and removes every file it made. May be called again. */
  close(): Promise<void>
}

/** Where the website is said to be while nothing else tells. */
const nowhereInParticular = 'http://localhost'

/**
 * Creates an emulator with one account.
 * @throws TypeError saying which option cannot be used and why
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { apiKey, clock, settings, siteUrl } = resolveOptions(options)
  const blobs = createTemporaryBlobs()
  const service = createService({ records: createMemoryRecords(), blobs, settings, clock })
  const app = createApp({ service, settings, clock, siteUrl })
  const first = service.accounts.create(apiKey)

  const listeners: Listener[] = []
  const open = new Set<Promise<unknown>>()
  let closed: Promise<void> | undefined

  const handle: HttpHandler = async (request) => {
    if (closed !== undefined) throw new Error('The emulator is closed')
    const reply = app(request)
    open.add(reply)
    return reply.finally(() => open.delete(reply))
  }

  const shutDown = async () => {
    await Promise.all(listeners.map((listener) => listener.close()))
    await Promise.allSettled(open)
    await blobs.close()
  }
  const close = () => {
    closed ??= shutDown()
    return closed
  }

  return {
    apiKey: first.apiKey,
    clock,
    control: createControl({
      service,
      settings,
      clock,
      siteUrl: () => siteUrl ?? listeners[0]?.baseUrl ?? nowhereInParticular,
    }),
    fetch: toFetch(handle),
    async listen(at = {}) {
      const listener = await listen(handle, at)
      listeners.push(listener)
      return { baseUrl: listener.baseUrl, port: listener.port }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
