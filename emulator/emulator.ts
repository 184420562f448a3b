import type { Clock } from '../src/clock.ts'
import { EtiquetteWatch } from './api/admission.ts'
import { App } from './api/app.ts'
import { presentUpload } from './api/response.ts'
import { type Control, createControl } from './control/control.ts'
import { createControlApp } from './control/http/control-app.ts'
import { createControlDoor, type JudgedHandler } from './control/http/control-door.ts'
import { watchStandstill } from './control/standstill-watch.ts'
import { EmulatorError } from './emulator-error.ts'
import { FaultBook } from './faults/fault-book.ts'
import { describeService } from './openapi/document.ts'
import { checkEmulatorOptions, type EmulatorOptions, type ResolvedOptions, resolveOptions } from './options.ts'
import { SeedError } from './seed/seed.ts'
import { createSeeding } from './seed/seeding.ts'
import { ExchangeLog } from './service/exchanges.ts'
import { createInventions, seedOfRun } from './service/inventions.ts'
import { TakenError } from './service/refusal.ts'
import { createService } from './service/service.ts'
import type { FirstAccount } from './service/sign-in/first-sign-in.ts'
import { keptClock } from './state/kept-clock.ts'
import { createState } from './state/state.ts'
import { folderError, openDataFolder, openMemoryStorage, type Storage } from './storage/open.ts'
import { createThumbnailMaker, thumbnailCapabilities } from './thumbnails/thumbnail-maker.ts'
import { isLoopbackName } from './values/ip-allowlist.ts'
import { toFetch } from './wire/fetch.ts'
import { type Listener, type ListenOptions, listen } from './wire/listen.ts'

/** The whole service, in this process. */
export interface Emulator extends AsyncDisposable {
  /** The first account's key at the start. */
  readonly apiKey: string
  /**
   * How to sign in to the website as the first account: `user@example.com` and `password`, unless the seed or an earlier
   * run has others. Undefined if every account was deleted.
   */
  readonly firstAccount: FirstAccount | undefined
  /** The service's time; a client can use the same clock. */
  readonly clock: Clock
  readonly control: Control
  /** Gives other machines access to the control API. */
  readonly controlToken: string
  /**
   * The platform's `fetch`, answered without a socket. It takes what `fetch` takes, also objects of other environments
   * (jsdom, happy-dom), and answers with the `Response` of the environment that calls it. Any host will do; a path alone is
   * one of this emulator. May be called without its object.
   *
   * @throws Error if the emulator is closed; the signal's reason if it aborts; TypeError, as `fetch` does, for arguments
   * that no request can be made of, if the connection breaks, or if the body yields something other than bytes
   */
  readonly fetch: typeof globalThis.fetch
  /**
   * Also listens on a socket, until the emulator is closed. Where other machines can reach it, by its address or by a
   * `siteUrl` that is not of this machine, the first account gets a generated password in place of `password`, which
   * everyone knows; `firstAccount` has it.
   * @throws Error if the port is taken, a TLS file cannot be used, the new password cannot be stored, or the emulator is
   * closed
   */
  listen(options?: ListenOptions): Promise<{ readonly baseUrl: string; readonly port: number }>
  /**
   * Finishes requests in progress for up to 5 s, ends connections and removes every file outside the data folder. Waits
   * neither for connections on which nothing is asked nor for answers that a fault holds back. May be called again.
   */
  close(): Promise<void>
}

/** For links to the website, and for `fetch('/a/path')`, while the emulator does not listen. */
const fallbackSiteUrl = 'http://localhost'

/**
 * Creates an emulator with one account, or continues with the content of its data folder.
 * @throws TypeError saying which option cannot be used and why; SeedError naming the place in the seed; DataFolderError
 * if the folder is in use, holds something else or was written by another release
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  checkEmulatorOptions('createEmulator', options)
  const resolved = await resolveOptions(options)
  const { data } = resolved
  const storage = data === undefined ? openMemoryStorage() : await openDataFolder(data)
  try {
    return await assemble(resolved, storage)
  } catch (error) {
    await storage.close().catch(() => {})
    throw data === undefined || error instanceof TypeError || error instanceof SeedError || error instanceof TakenError
      ? error
      : folderError(data, error)
  }
}

/** The parts of an emulator, with the state of its seed or its data folder. */
async function createParts(options: ResolvedOptions, storage: Storage) {
  const { apiKey, clock, clockStart, settings, source, randomSeed } = options
  const runSeed = seedOfRun(randomSeed, storage.records.notes)
  const inventions = createInventions(runSeed)
  const service = createService({ ...storage, settings, clock, inventions, makeThumbnail: createThumbnailMaker() })
  const etiquette = new EtiquetteWatch()
  const seedInventions = createInventions(runSeed, 'seed')
  const ofSeed = { ...storage, service, clock, source, settings: settings.current, inventions: seedInventions, apiKey }
  const seeding = await createSeeding(ofSeed)
  // The initial state must be kept before the emulator counts as ready.
  await storage.records.turns.flushed()
  const exchanges = new ExchangeLog()
  const faults = new FaultBook()
  const { prepare } = seeding
  const { resume } = service
  const held = { ...storage, settings, clock, faults, inventions, exchanges, advice: etiquette }
  const state = createState({ ...held, clockStart, prepare, resume })
  const { restore, flushed } = keptClock(held)
  await restore()
  service.resume()
  await storage.records.turns.flushed()
  return { ...held, service, etiquette, state, flushed, apiKey: seeding.apiKey }
}

type Parts = Awaited<ReturnType<typeof createParts>>

/** The control API and the dashboard over it. @param siteUrl where the website is at this moment */
function createControlOf(parts: Parts, { controlToken: token, siteUrl }: ResolvedOptions, listeners: Listener[]) {
  const { settings } = parts
  const site = () => siteUrl ?? listeners[0]?.baseUrl ?? fallbackSiteUrl
  const control = createControl({
    ...parts,
    present: (upload) => presentUpload(upload, { siteUrl: site(), settings: settings.current }),
    openapi: () => describeService(listeners[0]?.baseUrl),
    thumbnailCapabilities,
  })
  const door = createControlDoor({ api: createControlApp(control), dashboard, token, siteUrl })
  return { control, door }
}

/** Loaded when it is first asked for: most programs never do. */
const dashboard: JudgedHandler = async (...asked) => (await import('./dashboard/dashboard.ts')).dashboard(...asked)

async function assemble(options: ResolvedOptions, storage: Storage): Promise<Emulator> {
  const listeners: Listener[] = []
  const parts = await createParts(options, storage)
  const { control, door } = createControlOf(parts, options, listeners)
  const { service, clock } = parts
  const { siteUrl, onStandstill } = options
  const standstill = watchStandstill({ ...parts, onStandstill, isListening: () => listeners.length > 0 })
  const app = new App({ ...parts, siteUrl, control: door, seeWhileStanding: standstill.see })
  const shutDown = async () => {
    service.requests.followers.emit('end')
    standstill.stop()
    // First, because a request may be waiting for a thumbnail.
    const serviceClosed = service.close()
    await Promise.all([app.close(), ...listeners.map((listener) => listener.close())])
    await serviceClosed
    try {
      await parts.flushed()
    } finally {
      await storage.close()
    }
  }
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= shutDown()
    return closed
  }
  return {
    apiKey: parts.apiKey,
    get firstAccount() {
      return service.firstSignIn.get()
    },
    clock,
    control,
    controlToken: options.controlToken,
    fetch: toFetch(app.handle, { cut: app.cut, base: () => listeners[0]?.baseUrl ?? fallbackSiteUrl }),
    async listen(at = {}) {
      const listener = await listen(app.handle, at, parts)
      if (closed !== undefined) {
        await listener.close()
        throw new EmulatorError('emulator-closed', 'The emulator is closed')
      }
      listeners.push(listener)
      // Something in front of the emulator lets other machines in where the website is meant for them too.
      const isForOthers = siteUrl !== undefined && !isLoopbackName(new URL(siteUrl).hostname)
      if (listener.isExposed || isForOthers) await protectFirstAccount(parts, listener, listeners)
      return { baseUrl: listener.baseUrl, port: listener.port }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** In the turn in which the listener begins, so that no request can use the public password. */
async function protectFirstAccount({ service, flushed }: Parts, listener: Listener, listeners: Listener[]) {
  try {
    service.firstSignIn.protect()
    await flushed()
  } catch (error) {
    listeners.splice(listeners.indexOf(listener), 1)
    await listener.close()
    throw error
  }
}
