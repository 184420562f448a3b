import { invalidValue } from '../checks/coded-error.ts'
import { steadyClock, systemClock } from '../clock.ts'
import { Pacer } from '../pacing/create-pacer.ts'
import type { Ledger, LedgerAccount } from '../pacing/ledger.ts'
import { QuotaModel } from '../pacing/quota-model/quota-model.ts'
import { createSharedLedger } from '../pacing/shared/shared-ledger.ts'
import { createMemoryLedger } from '../pacing/shared/store-ledger.ts'
import { isKey } from '../protocol/endpoints.ts'
import { unlimited } from '../protocol/rate-limits.ts'
import { stateFolder } from '../system/environment.ts'
import { observer } from '../system/observer.ts'
import { createBandwidth } from './bandwidth.ts'
import { parseBaseUrl } from './base-url.ts'
import { callerOf } from './call.ts'
import { deleteUpload, readCalls, sendRaw } from './calls/api-calls.ts'
import { type UploadTools, uploadFile } from './calls/upload.ts'
import { ClientClosedError } from './errors.ts'
import { AccountUploads } from './exactly-once/account-uploads.ts'
import { compareBytes } from './exactly-once/compare-bytes.ts'
import { ListSearch } from './exactly-once/reconcile.ts'
import { ServiceClock } from './exactly-once/service-clock.ts'
import { type ClientEvent, createRedactor, Freshness } from './exchange.ts'
import type { Client, ClientOptions } from './options.ts'
import { defaultRetries } from './retry.ts'
import { openRemoteFile } from './sources/remote-file.ts'
import type { Transport } from './transports/transport.ts'

const proving = Symbol('calls that prove something')

interface ProvingClient extends Client {
  readonly [proving]: Pick<Client, 'list' | 'show'>
}

/**
 * A client over a transport: `fh` has one of its own, and so nothing of undici. The options have been checked.
 * @param whose where the key comes from, for the errors of one that is refused
 */
export function clientOver(transport: Transport, options: Omit<ClientOptions, 'transport'>, whose?: string): Client {
  const apiKey = checkedKey(options.apiKey)
  const clock = options.clock ?? systemClock
  const how = ', as in createClient({ allowInsecureHttp: true })'
  const baseUrl = parseBaseUrl(options.baseUrl, options.allowInsecureHttp, how)
  const steady = steadyClock(clock)
  const serviceClock = new ServiceClock(steady)
  const account = AccountUploads.of(baseUrl, apiKey, clock)
  const report = observer<[ClientEvent]>('onEvent of createClient', options.onEvent)
  const ledger = ledgerOf(options.pacing, { baseUrl, apiKey, clock, report })
  const pacer = new Pacer({ clock, ledger })
  const { userAgent, retry = {}, uploadBytesPerSecond: rate } = options
  let isClosed = false
  const call = callerOf({
    baseUrl,
    apiKey,
    transport,
    clock,
    pacer,
    retries: retry.retries ?? defaultRetries,
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
    if (isClosed) throw new ClientClosedError('A request for a file')
    return await transport.send(request)
  }
  const site = { ...retry, transport: { send }, clock, userAgent, onEvent: report }
  const compare = compareBytes(site, account)
  const search = new ListSearch({ look, clock, serviceClock, account, compareBytes: compare })
  const bandwidth = rate === undefined ? undefined : createBandwidth(rate, clock)
  const openUrl: UploadTools['openUrl'] = (url, { signal, onEvent }) => {
    const observe = observer('onEvent of client.upload', onEvent)
    return openRemoteFile(url, { ...site, signal, onEvent: (event) => [report(event), observe(event)] })
  }
  const uploading = { call, clock: steady, serviceClock, account, search, compareBytes: compare, bandwidth, openUrl }
  const close = async () => {
    isClosed = true
    await transport.close?.()
    // The caller closes a ledger of its own.
    if (!options.pacing || options.pacing.ledger !== ledger) ledger.close?.()
  }
  const client: ProvingClient = {
    ...reads,
    [proving]: readCalls(call, true).reads,
    upload: (source, given) => uploadFile(uploading, source, given),
    reconcile: (intents, given) => search.reconcile(intents, given),
    async download(slug, destination, given) {
      // `fh` has a way of its own.
      const { downloadUpload } = await import('./download/download.ts')
      return await downloadUpload({ ...site, show: reads.show }, slug, destination, given)
    },
    delete: (slug, given) => deleteUpload(call, slug, given),
    request: (method, path, given) => sendRaw(call, method, path, given),
    quota: () => pacer.windows(),
    close,
    [Symbol.asyncDispose]: close,
  }
  return client
}

/**
 * The same client for the command line: its `list` and `show` take no answer that a cache had kept, nor another page than the
 * one asked for.
 *
 * @throws NoProofError by these two
 */
export function provingClient(client: Client): Client {
  const { list, show } = (client as ProvingClient)[proving]
  return { ...client, list, show }
}

function checkedKey(apiKey: string | undefined): string {
  const key = apiKey?.trim()
  const lacks = key === undefined ? 'missing' : 'empty'
  if (!key) throw invalidValue(`The API key is ${lacks}: is the variable set that it comes from?`)
  if (!isKey(key)) throw invalidValue('The API key must not contain spaces, line breaks or non-ASCII characters')
  return key
}

interface PacedAccount extends Pick<LedgerAccount, 'baseUrl' | 'apiKey' | 'clock'> {
  readonly report: (event: ClientEvent) => void
}

/** @throws RangeError if a limit is not a number of units */
function ledgerOf(pacing: ClientOptions['pacing'] = {}, { report, ...account }: PacedAccount): Ledger {
  const ofThisProcess = (model: QuotaModel) => createMemoryLedger(model, account.clock)
  // A client that does not count still waits after refusals and reads headers.
  if (pacing === false) return ofThisProcess(new QuotaModel({ limits: unlimited }))
  const { ledger = 'memory', folder, limits = {} } = pacing
  const counted = { ...account, limits, folder }
  if (typeof ledger === 'object' && !('open' in ledger)) return ledger
  if (typeof ledger === 'object') {
    return ledger.open({
      ...counted,
      onOutage: (outage) => report({ type: 'ledger-outage', ...outage }),
      onReturn: () => report({ type: 'ledger-return' }),
    })
  }
  if (ledger === 'memory') return ofThisProcess(new QuotaModel({ limits }))
  return createSharedLedger({
    ...counted,
    folder: folder ?? stateFolder(process.env),
    onProblem: (problem) => report({ type: 'ledger-problem', ...problem }),
  })
}
