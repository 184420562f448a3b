import { invalidValue } from '../checks/coded-error.ts'
import { checkOptions, observer } from '../checks/options.ts'
import { steadyClock, systemClock } from '../clock.ts'
import { Pacer } from '../pacing/create-pacer.ts'
import type { Ledger, LedgerAccount } from '../pacing/ledger.ts'
import { createMemoryLedger } from '../pacing/memory-ledger.ts'
import { QuotaModel } from '../pacing/quota-model/quota-model.ts'
import { createSharedLedger } from '../pacing/shared/shared-ledger.ts'
import { isKey } from '../protocol/endpoints.ts'
import { unlimited } from '../protocol/rate-limits.ts'
import { stateFolder } from '../system/environment.ts'
import { createBandwidth } from './bandwidth.ts'
import { parseBaseUrl } from './base-url.ts'
import { callerOf } from './call.ts'
import { clientClosed } from './call-errors.ts'
import { deleteUpload, readCalls, sendRaw } from './calls/api-calls.ts'
import { type UploadTools, uploadFile } from './calls/upload.ts'
import { downloadUpload } from './download/download.ts'
import { AccountUploads } from './exactly-once/account-uploads.ts'
import { compareBytes } from './exactly-once/compare-bytes.ts'
import { ListSearch } from './exactly-once/reconcile.ts'
import { ServiceClock } from './exactly-once/service-clock.ts'
import { type ClientEvent, createRedactor, Freshness } from './exchange.ts'
import { type Client, type ClientOptions, clientOptions, clientWords } from './options.ts'
import { defaultRetries } from './retry.ts'
import { RemoteFile } from './sources/remote-file.ts'
import type { Transport } from './transports/transport.ts'
import { undiciTransport } from './transports/undici-transport.ts'

/**
 * Creates a client of one account.
 *
 * @throws TypeError for an unknown option, and for an unusable base URL or key; RangeError for a number
 * out of range
 */
export function createClient(options: ClientOptions): Client {
  checkOptions('createClient', options, clientOptions, clientWords)
  return clientOver(options.transport ?? undiciTransport(), options)
}

/**
 * A client over a transport: `fh` has one of its own, and so nothing of undici. The options have been checked.
 * @param whose where the key comes from, for the errors of one that is refused
 */
export function clientOver(transport: Transport, options: Omit<ClientOptions, 'transport'>, whose?: string): Client {
  const apiKey = checkedKey(options.apiKey)
  const clock = options.clock ?? systemClock
  const baseUrl = parseBaseUrl(options.baseUrl, {
    allowInsecureHttp: options.allowInsecureHttp,
    how: ', as in createClient({ allowInsecureHttp: true })',
  })
  const steady = steadyClock(clock)
  const serviceClock = new ServiceClock(steady)
  const account = AccountUploads.of(baseUrl, apiKey, clock)
  const report = observer<[ClientEvent]>('onEvent of createClient', options.onEvent)
  const ledger = ledgerOf(options.pacing, { baseUrl, apiKey, clock, report })
  const pacer = new Pacer({ clock, ledger })
  const { retry = {} } = options
  const retries = retry.retries ?? defaultRetries
  const { userAgent, uploadBytesPerSecond: rate } = options
  let isClosed = false
  const call = callerOf({
    baseUrl,
    apiKey,
    transport,
    clock,
    pacer,
    retries,
    maxWaitMs: retry.maxWaitMs ?? Number.POSITIVE_INFINITY,
    userAgent,
    report,
    isClosed: () => isClosed,
    serviceClock,
    redact: createRedactor(apiKey),
    whose,
    freshness: new Freshness(),
  })
  const { reads, look } = readCalls(call)
  const send: typeof transport.send = async (request) => {
    if (isClosed) throw clientClosed('A request for a file')
    return await transport.send(request)
  }
  const site = { transport: { send }, clock, userAgent, onEvent: report }
  const compare = compareBytes({ ...site, retries }, account)
  const search = new ListSearch({ look, clock, serviceClock, account, compareBytes: compare })
  const bandwidth = rate === undefined ? undefined : createBandwidth(rate, clock)
  const openUrl: UploadTools['openUrl'] = (url, { signal, onEvent }) => {
    const observe = observer('onEvent of client.upload', onEvent)
    const reportBoth = (event: ClientEvent) => [report(event), observe(event)]
    return RemoteFile.open(url, { ...retry, ...site, signal, onEvent: reportBoth })
  }
  const uploading = { call, clock: steady, serviceClock, account, search, compareBytes: compare, bandwidth, openUrl }
  const close = async () => {
    isClosed = true
    await transport.close?.()
    // The caller closes a ledger of its own.
    if (!options.pacing || options.pacing.ledger !== ledger) ledger.close?.()
  }
  const client: OwnClient = {
    ...reads,
    [proving]: readCalls(call, true).reads,
    upload: (source, given) => uploadFile(uploading, source, given),
    reconcile: (intents, given) => search.reconcile(intents, given),
    download: (slug, to, given) => downloadUpload({ ...site, ...retry, show: reads.show }, slug, to, given),
    delete: (slug, given) => deleteUpload(call, slug, given),
    request: (method, path, given) => sendRaw(call, method, path, given),
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
  const { list, show } = (client as OwnClient)[proving]
  return { ...client, list, show }
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
  if (pacing === false) return ofThisProcess(new QuotaModel({ limits: unlimited }))
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
  if (ledger === 'memory') return ofThisProcess(new QuotaModel({ limits, reserve }))
  return createSharedLedger({
    ...counted,
    folder: folder ?? stateFolder(process.env),
    onProblem: (problem) => report({ type: 'ledger-problem', ...problem }),
  })
}
