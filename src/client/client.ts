import { invalidValue } from '../checks/coded-error.ts'
import { observer } from '../checks/observer.ts'
import { checkOptions } from '../checks/options.ts'
import { steadyClock, systemClock } from '../clock.ts'
import { createPacer } from '../pacing/create-pacer.ts'
import type { Ledger, LedgerAccount, QuotaModel } from '../pacing/ledger.ts'
import { createMemoryLedger } from '../pacing/memory-ledger.ts'
import { createQuotaModel } from '../pacing/quota-model/quota-model.ts'
import { createSharedLedger } from '../pacing/shared/shared-ledger.ts'
import { isKey } from '../protocol/endpoints.ts'
import { unlimited } from '../protocol/rate-limits.ts'
import { stateFolder } from '../system/user-folders.ts'
import { clientClosed } from './attempt-errors.ts'
import { parseBaseUrl } from './base-url.ts'
import { createCaller } from './caller.ts'
import { deleteUpload } from './calls/delete-call.ts'
import { sendRaw } from './calls/raw-call.ts'
import { createReadCalls } from './calls/read-calls.ts'
import { createUploadCall } from './calls/upload-call.ts'
import { downloadUpload } from './download/download-call.ts'
import type { ClientEvent } from './events.ts'
import { accountUploads } from './exactly-once/account-uploads.ts'
import { createCompareBytes } from './exactly-once/lookalikes.ts'
import { createReconcile, createReconcileIntents } from './exactly-once/reconcile.ts'
import { createServiceClock } from './exactly-once/service-clock.ts'
import { uncertainFromIntent } from './exactly-once/uncertain-upload.ts'
import type { UploadIntent } from './exactly-once/upload-intent.ts'
import { createRedactor } from './exchange.ts'
import { createFreshness } from './freshness.ts'
import { clientOptions, clientWords } from './option-checks.ts'
import type { Client, ClientOptions, UploadOptions } from './options.ts'
import { defaultRetries } from './retry.ts'
import { createBandwidth } from './sources/bandwidth.ts'
import { RemoteFile } from './sources/remote-file.ts'
import type { Transport } from './transports/transport.ts'
import { undiciTransport } from './transports/undici-transport.ts'

/**
 * Creates a client of one account.
 *
 * @throws TypeError for an unknown option, by the nearest name, and for an unusable base URL or key; RangeError for a number
 * out of range
 */
export function createClient(options: ClientOptions): Client {
  checkOptions('createClient', options, clientOptions, clientWords)
  return clientOver(options.transport ?? undiciTransport(), options)
}

/** A client over a transport: `fh` has one of its own, and so nothing of undici. The options have been checked. */
export function clientOver(transport: Transport, options: Omit<ClientOptions, 'transport'>): Client {
  const apiKey = checkedKey(options.apiKey)
  const redact = createRedactor(apiKey)
  const clock = options.clock ?? systemClock
  const rate = options.uploadBytesPerSecond
  const baseUrl = parseBaseUrl(options.baseUrl, {
    allowInsecureHttp: options.allowInsecureHttp,
    how: ', as in createClient({ allowInsecureHttp: true })',
  })
  const steady = steadyClock(clock)
  const serviceClock = createServiceClock(steady)
  const { registry, alike } = accountUploads(baseUrl, apiKey, clock, () => steady.now())
  const report = observer<[ClientEvent]>('onEvent of createClient', options.onEvent)
  const ledger = ledgerOf(options.pacing, { baseUrl, apiKey, clock, report })
  const pacer = createPacer({ clock, ledger })
  let isClosed = false
  const retries = options.retry?.retries ?? defaultRetries
  const caller = createCaller({
    baseUrl,
    apiKey,
    transport,
    clock,
    pacer,
    retries,
    maxWaitMs: options.retry?.maxWaitMs ?? Number.POSITIVE_INFINITY,
    userAgent: options.userAgent,
    report,
    isClosed: () => isClosed,
    onServiceTime: serviceClock.told,
    serviceNow: serviceClock.now,
    redact,
    freshness: createFreshness(),
  })
  const { reads, proofs, look } = createReadCalls(caller)
  const reconcile = createReconcile({
    look,
    clock,
    serviceClock,
    registry,
    isAlone: options.othersUpload === false,
  })
  const toUncertain = (intent: UploadIntent) => uncertainFromIntent(intent, { clock, steady, serviceClock })
  const send: typeof transport.send = async (request) => {
    if (isClosed) throw clientClosed('A request for a file')
    return await transport.send(request)
  }
  const site = { transport: { send }, clock, userAgent: options.userAgent, onEvent: report }
  const compareBytes = createCompareBytes({ ...site, retries }, registry)
  const reconcileIntents = createReconcileIntents(reconcile, toUncertain, { registry, compareBytes })
  const askForFile = (url: string, { signal, onEvent }: UploadOptions) => {
    const observe = observer('onEvent of client.upload', onEvent)
    const reportBoth = (event: ClientEvent) => {
      report(event)
      observe(event)
    }
    return RemoteFile.open(url, { ...options.retry, ...site, signal, onEvent: reportBoth })
  }
  const close = async () => {
    isClosed = true
    await transport.close?.()
    // The caller closes a ledger of its own.
    if (!options.pacing || options.pacing.ledger !== ledger) ledger.close?.()
  }
  const client: OwnClient = {
    ...reads,
    [proving]: proofs,
    upload: createUploadCall({
      caller,
      clock: steady,
      serviceClock,
      reconcile,
      compareBytes,
      registry,
      alike,
      bandwidth: rate === undefined ? undefined : createBandwidth(rate, clock),
      openUrl: askForFile,
    }),
    reconcile: reconcileIntents,
    download: (slug, destination, downloadOptions) =>
      downloadUpload({ ...site, ...options.retry, show: reads.show }, slug, destination, downloadOptions),
    delete: (slug, callOptions) => deleteUpload(caller, slug, callOptions),
    request: (method, path, requestOptions) => sendRaw(caller, method, path, requestOptions),
    quota: () => pacer.windows(),
    close,
    [Symbol.asyncDispose]: close,
  }
  return client
}

const proving = Symbol('calls that prove something')

interface OwnClient extends Client {
  readonly [proving]: Pick<Client, 'list' | 'show'>
}

/**
 * The same client for the command line: its `list` and `show` take no answer that a cache had kept, nor another page than the
 * one asked for.
 *
 * @throws NoProofError by these two
 */
export function provingClient(client: Client): Client {
  return { ...client, ...(client as OwnClient)[proving] }
}

function checkedKey(apiKey: string | undefined): string {
  if (apiKey === undefined) throw invalidValue('The API key is missing: is the variable set that it comes from?')
  const key = apiKey.trim()
  if (key === '') throw invalidValue('The API key is empty: is the variable set that it comes from?')
  if (!isKey(key)) throw invalidValue('The API key must not contain spaces, line breaks or non-ASCII characters')
  return key
}

interface PacedAccount extends Pick<LedgerAccount, 'baseUrl' | 'apiKey' | 'clock'> {
  readonly report: (event: ClientEvent) => void
}

/** @throws RangeError if a limit or the reserve is not a number of units, or the reserve leaves nothing */
function ledgerOf(pacing: ClientOptions['pacing'] = {}, { report, ...account }: PacedAccount): Ledger {
  const ofThisProcess = (model: QuotaModel) => createMemoryLedger(model, account.clock)
  // A client that does not count still waits after refusals and reads headers.
  if (pacing === false) return ofThisProcess(createQuotaModel({ limits: unlimited }))
  const { ledger = 'memory', reserve = 0, folder, limits = {} } = pacing
  const counted = { ...account, limits, reserve, folder }
  if (typeof ledger === 'object' && !('open' in ledger)) return ledger
  if (typeof ledger === 'object') {
    return ledger.open({
      ...counted,
      onOutage: (outage) => report({ type: 'ledger-outage', ...outage }),
      onReturn: () => report({ type: 'ledger-return' }),
    })
  }
  if (ledger === 'memory') return ofThisProcess(createQuotaModel({ limits, reserve }))
  return createSharedLedger({
    ...counted,
    folder: folder ?? stateFolder(process.env),
    onProblem: (problem) => report({ type: 'ledger-problem', ...problem }),
  })
}
