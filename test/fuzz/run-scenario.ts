import { createEmulator, type Emulator, type FaultAction, type FaultMatch } from '../../emulator/index.ts'
import type { ItemRecord } from '../../src/cli/output/events.ts'
import { fetchTransport, type TransportRequest, type TransportResponse } from '../../src/index.ts'
import { defaultLimits, unlimited } from '../../src/protocol/rate-limits.ts'
import { copyAsLeft } from './after-crash.ts'
import { contentOf, type Playground } from './files.ts'
import { type MortalRun, runMortal } from './killable-run.ts'
import { createPatientClock, type PatientClock } from './patient-clock.ts'
import type { RunOptions } from './run-options.ts'
import type { Plot, PlotBreak, PlotStep } from './scenario.ts'
import { type Claim, type Evidence, judge, judgeEnd, type StoredFile, type Violation } from './verdict.ts'

/** What came of a plot. */
export interface Story {
  readonly violations: readonly Violation[]
  readonly files: number
  /** Whether the service changes files before it stores them: then the list tells less. */
  readonly changesFiles: boolean
  /** What was said of each file in the end. */
  readonly claims: readonly Claim[]
  readonly runs: number
  readonly kills: number
  readonly signals: number
  readonly deletions: number
  readonly requests: number
  /** Requests that were refused for quota by the service itself, no fault having struck them. */
  readonly refusals: number
  /** Types of the faults that struck. */
  readonly struck: readonly string[]
}

/** How often the same command is run in the end, with nothing going wrong any more. */
const FINAL_RUNS = 3

/** Plays a plot on a service of its own, and judges it after each run. */
export async function tell(plot: Plot, playground: Playground): Promise<Story> {
  const clock = createPatientClock(plot.startAt)
  const { dialect, changes } = plot.settings
  const quotas = plot.limited ? defaultLimits : unlimited
  const emulator = await createEmulator({ clock: clock.service, dialect, settings: changes, quotas })
  try {
    return await play(plot, { emulator, clock, playground })
  } finally {
    await emulator.close()
  }
}

interface Stage {
  readonly emulator: Emulator
  readonly clock: PatientClock
  readonly playground: Playground
}

async function play(plot: Plot, { emulator, clock, playground }: Stage): Promise<Story> {
  const paths = playground.paths(plot.files)
  const claims: Claim[] = plot.files.map(() => ({ type: 'nothing' }))
  const violations: Violation[] = []
  const { duplicate_content, reencode: changesFiles } = emulator.control.settings.get()
  const sharesContent = duplicate_content === 'same_slug'
  const count = { runs: 0, kills: 0, signals: 0, deletions: 0, requests: 0 }
  const service = fetchTransport(emulator.fetch)
  let skewMs = plot.skewMs
  const taken = new Set<PlotStep>()
  let folder = playground.folder()
  let quiet = false

  function onRequest(): PlotBreak | undefined {
    count.requests += 1
    if (quiet) return undefined
    const { requests } = count
    for (const episode of plot.episodes) {
      const on = requests >= episode.nth && requests < episode.nth + episode.requests
      refuse(episode.what, on, emulator)
    }
    const planned = plot.breaks.find(({ nth }) => nth === requests)
    if (planned !== undefined && planned.how !== 'kill -9') count.signals += 1
    return planned
  }

  function setClock(nth: number, at: PlotStep['at']): void {
    for (const step of plot.steps) {
      if (quiet || taken.has(step) || step.nth !== nth || step.at !== at) continue
      taken.add(step)
      skewMs += step.ms
    }
  }

  /** A request meanwhile the machine's clock may be set, to a service that may not tell its own. */
  async function send(request: TransportRequest): Promise<TransportResponse> {
    const nth = count.requests
    setClock(nth, 'before its body')
    const { body } = request
    async function* chunks() {
      for await (const chunk of body?.chunks() ?? []) {
        setClock(nth, 'in its body')
        yield chunk
      }
    }
    const response = await service.send(body ? { ...request, body: { ...body, chunks } } : request)
    setClock(nth, 'before its answer')
    const { date, ...others } = response.headers
    return plot.tellsDate ? response : { ...response, headers: others }
  }

  async function run(command: (options: RunOptions) => Promise<MortalRun>): Promise<MortalRun> {
    const next = playground.folder()
    const work = command({
      plot,
      apiKey: emulator.apiKey,
      folder,
      clock: clock.skewed(() => skewMs, plot.hasMonotonic),
      transport: { send: (request) => clock.busyWith(send(request)) },
      limits: plot.limited ? defaultLimits : unlimited,
      onRequest,
      onKill: ({ at, torn }) => copyAsLeft(folder, next, torn ? (tornLines[at] ?? []) : []),
    })
    await clock.passUntil(work)
    const ended = await work
    if (ended.end === 'killed') count.kills += 1
    else copyAsLeft(folder, next)
    folder = next
    return ended
  }

  async function evidence(): Promise<Evidence> {
    return { files: plot.files, claims, stored: await storedFiles(emulator), sharesContent }
  }

  /** @returns whether nothing is left to do */
  async function upload(): Promise<boolean> {
    count.runs += 1
    claims.forEach((claim, index) => {
      if (claim.type === 'not-stored') claims[index] = { type: 'nothing' }
    })
    const { records } = await run((options) => runMortal(['upload', '--jobs', String(plot.jobs), ...paths], options))
    for (const [index, record] of records) claims[index] = claimOf(record, claims[index])
    violations.push(...judge(await evidence()))
    return claims.every(({ type }) => type === 'stored') && records.size === claims.length
  }

  async function remove(index: number): Promise<void> {
    const claim = claims[index % claims.length]
    if (claim?.type !== 'stored') return
    count.deletions += 1
    for (let deleted = false; !deleted; ) {
      const { records } = await run((options) => runMortal(['delete', '--yes', '--', claim.slug], options))
      const record = records.get(0)
      deleted = record?.status === 'deleted' || record?.error?.code === 'not-found'
    }
    claims.forEach((other, at) => {
      if (other.type === 'stored' && other.slug === claim.slug) claims[at] = { type: 'nothing' }
    })
    violations.push(...judge(await evidence()))
  }

  for (const { type, size, secondsAgo } of plot.strangers) {
    const created_at = new Date(plot.startAt - secondsAgo * 1_000).toISOString()
    emulator.control.accounts.addUploads(1, { count: 1, mime_type: `image/${type}`, size, created_at })
  }
  emulator.control.faults.set(
    plot.faults.map(({ nth, action }) => ({ match: { ...struckBy(action), nth }, times: 1, action })),
  )
  let complete = await upload()
  for (const { ms, deletes } of plot.pauses) {
    if (complete) break
    if (deletes !== undefined) await remove(deletes)
    await clock.service.advance(ms)
    complete = await upload()
  }
  quiet = true
  const struck = emulator.control.faults.list().flatMap((fault) => (fault.struck > 0 ? [fault.action.type] : []))
  emulator.control.faults.clear()
  for (const what of ['disabled', 'suspended'] as const) refuse(what, false, emulator)
  for (let left = FINAL_RUNS; left > 0 && !complete; left -= 1) complete = await upload()
  violations.push(...judgeEnd(await evidence()))
  const { requests } = emulator.control.requests.list()
  const refusals = requests.filter(({ status, fault }) => status === 429 && fault === undefined).length
  return { violations, files: plot.files.length, changesFiles, claims, ...count, refusals, struck }
}

/** An empty success is how some services say that an upload is deleted: nobody could know better. */
function struckBy(action: FaultAction): FaultMatch {
  const isEmptySuccess = action.type === 'status' && action.status === 204
  return { path: '/api/*', ...(isEmptySuccess && { method: 'POST' }) }
}

/** What can be torn where a kill came, so that nothing else of what happened since depends on it. */
const tornLines: Partial<Record<PlotBreak['at'], readonly string[]>> = {
  'at its first byte': ['intent'],
  'once it is reported': ['done', 'hashed', 'not-stored', 'unknown', 'taken'],
}

function refuse(what: 'disabled' | 'suspended', on: boolean, { control }: Emulator): void {
  if (what === 'disabled') control.settings.update({ api_enabled: !on })
  else for (const { id } of control.accounts.list()) control.accounts.update(id, { suspended: on })
}

function claimOf({ upload, status, error }: ItemRecord, before: Claim | undefined): Claim {
  if (upload !== null) return { type: 'stored', slug: upload.slug }
  const why = `${error?.code}: ${error?.message}`
  if (status === 'unknown') return { type: 'unknown', why }
  return error?.code === 'not-started' ? (before ?? { type: 'nothing' }) : { type: 'not-stored', why }
}

async function storedFiles({ control }: Emulator): Promise<readonly StoredFile[]> {
  const { records, blobs } = await control.state.get()
  const uploads = records['uploads'] as readonly { readonly slug: string; readonly blob_id: string | null }[]
  return uploads.map(({ slug, blob_id }) => ({
    slug,
    content: contentOf(Buffer.from(blobs[blob_id ?? ''] ?? '', 'base64')),
  }))
}
