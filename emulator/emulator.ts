import { resolve } from 'node:path'
import type { Clock } from '../src/clock.ts'
import { type Control, createControl } from './control/control.ts'
import { createControlApp } from './control/http/control-app.ts'
import { createFaultBook } from './faults/fault-book.ts'
import { toFetch } from './http/adapters/fetch-adapter.ts'
import { type Listener, type ListenOptions, listen } from './http/adapters/node-server.ts'
import { createOpenRequests } from './http/adapters/open-requests.ts'
import { createApp } from './http/app.ts'
import { createEtiquetteWatch } from './http/etiquette-watch.ts'
import { presentUpload } from './http/response/presenters.ts'
import { describeService } from './openapi/document.ts'
import { type EmulatorOptions, type ResolvedOptions, resolveOptions } from './options.ts'
import { SeedError } from './seed/seed-error.ts'
import { createPlanting } from './seed/seeding.ts'
import { TakenError } from './service/refusal.ts'
import { createService } from './service/service.ts'
import { createRunNotes } from './state/persisted-settings.ts'
import { createState } from './state/state.ts'
import { openDurableStorage, unusable } from './storage/durable-storage.ts'
import { createPassingStorage, type Storage } from './storage/storage.ts'
import { createThumbnailMaker } from './thumbnails/thumbnail-maker.ts'
import { thumbnailCapabilities } from './thumbnails/thumbnail-tools.ts'

/** The whole service, in this process. */
export interface Emulator extends AsyncDisposable {
  /** The key of the first account, as it was at the start. */
  readonly apiKey: string
  /** The service's time; given to a client, both live at the same moment. */
  readonly clock: Clock
  readonly control: Control
  /** What opens the control API to other machines. */
  readonly controlToken: string
  /**
   * Answers a request without a socket; the host in its URL may be any.
   * @throws Error once the emulator is closed; the reason of the request's signal where that aborts; TypeError as of the
   * platform's fetch where the connection breaks, or the body has something other than bytes
   */
  fetch(request: Request): Promise<Response>
  /**
   * Answers on a socket as well, until the emulator is closed.
   * @throws Error saying what to do where the port is taken, which TLS file cannot be used, or that it is closed
   */
  listen(options?: ListenOptions): Promise<{ readonly baseUrl: string; readonly port: number }>
  /**
   * Finishes what is being answered, for up to 5 s, ends connections and removes every file it made but those in its data
   * folder. May be called again.
   */
  close(): Promise<void>
}

/** Where the website is said to be while nothing else tells. */
const nowhereInParticular = 'http://localhost'

/**
 * Creates an emulator with one account, or takes up what is in its data folder.
 * @throws TypeError saying which option cannot be used and why; SeedError naming the place in the seed; DataFolderError
 * where the folder is in use, is somebody else's or was written by a newer release
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const resolved = await resolveOptions(options)
  const { data } = resolved
  const storage = data === undefined ? createPassingStorage() : await openDurableStorage(data)
  try {
    const since = storage.records.mark()
    const emulator = await assemble(resolved, storage)
    // Nobody is told that it is ready before what it begins with is safe.
    await storage.settled(since)
    return emulator
  } catch (error) {
    await storage.close().catch(() => {})
    throw data === undefined || error instanceof TypeError || error instanceof SeedError || error instanceof TakenError
      ? error
      : unusable({ path: resolve(data) }, error)
  }
}

async function assemble(options: ResolvedOptions, storage: Storage): Promise<Emulator> {
  const { apiKey, clock, clockStart, settings, asked, siteUrl, source, controlToken } = options
  const runNotes = createRunNotes({ notes: storage.records.notes, settings, clock, asked })
  const makeThumbnail = createThumbnailMaker()
  const service = createService({ ...storage, settings, clock, makeThumbnail })
  const etiquette = createEtiquetteWatch(service)
  const resume = () => {
    service.thumbnails.resume()
    etiquette.forget()
  }
  const planting = await createPlanting({ ...storage, service, clock, source, settings: settings.current, apiKey })
  const { prepare } = planting
  const faults = createFaultBook()
  const state = createState({ ...storage, settings, clock, clockStart, faults, prepare, resume })
  await runNotes.recall()
  resume()

  const listeners: Listener[] = []
  let closed: Promise<void> | undefined

  const site = () => siteUrl ?? listeners[0]?.baseUrl ?? nowhereInParticular
  const control = createControl({
    service,
    settings,
    clock,
    faults,
    state,
    firstKey: storage.firstKey,
    present: (upload) => presentUpload(upload, { siteUrl: site(), settings: settings.current }),
    openapi: () => describeService(listeners[0]?.baseUrl),
    settled: storage.settled,
    thumbnailCapabilities,
  })
  const controlApp = createControlApp({ control, token: controlToken, siteUrl })
  const settled = async (since: number) => {
    runNotes.note()
    await storage.settled(since)
  }
  const { mark } = storage.records
  const app = createApp({ service, settings, clock, faults, etiquette, siteUrl, control: controlApp, settled, mark })

  const requests = createOpenRequests(app)

  const shutDown = async () => {
    service.requests.end()
    // At once: a request may wait for one.
    const thumbnailsClosed = service.thumbnails.close()
    await Promise.all([requests.close(), ...listeners.map((listener) => listener.close())])
    await thumbnailsClosed
    try {
      runNotes.note()
    } finally {
      await storage.close()
    }
  }
  const close = () => {
    closed ??= shutDown()
    return closed
  }

  return {
    apiKey: planting.apiKey,
    clock,
    control,
    controlToken,
    fetch: toFetch(requests.handle, requests.cut),
    async listen(at = {}) {
      const listener = await listen(requests.handle, at)
      if (closed !== undefined) {
        await listener.close()
        throw new Error('The emulator is closed')
      }
      listeners.push(listener)
      return { baseUrl: listener.baseUrl, port: listener.port }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
