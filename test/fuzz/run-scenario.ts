import type { Emulator, FaultAction, FaultMatch } from '../../emulator/index.ts'
import type { ItemRecord } from '../../src/cli/output/events.ts'
import { fetchTransport, type TransportRequest, type TransportResponse } from '../../src/index.ts'
import { defaultLimits, unlimited } from '../../src/protocol/rate-limits.ts'
import type { RunOptions } from './crash-points.ts'
import { copyAsAfterCrash, type Workspace } from './files.ts'
import { type KillableRun, runKillable } from './killable-run.ts'
import { onEmulator } from './on-emulator.ts'
import type { PatientClock } from './patient-clock.ts'
import type { ClockStep, Scenario, ScenarioBreak } from './scenario.ts'
import { serviceState } from './stored.ts'
import { type Evidence, judge, judgeEnd, type PlayedRun, unique, type Violation } from './verdict.ts'

/** What a scenario led to. */
export interface Outcome {
  readonly violations: readonly Violation[]
  readonly files: number
  /** Whether the service changes files before it stores them: then sizes in the list prove less. */
  readonly changesFiles: boolean
  /** The last report on each file. */
  readonly reports: readonly (ItemRecord | undefined)[]
  readonly runs: number
  readonly kills: number
  readonly signals: number
  readonly deletions: number
  readonly requests: number
  /** Requests that the service itself refused for quota; 429s made by a fault are not counted. */
  readonly refusals: number
  /** Types of the faults that struck. */
  readonly struck: readonly string[]
}

/** How often the command is run at the end, without any faults. */
const FINAL_RUNS = 3

/** Runs a scenario on an emulator of its own, and judges the result after each run. */
export const runScenario = (scenario: Scenario, workspace: Workspace): Promise<Outcome> =>
  onEmulator(scenario, false, (emulator, clock) => runIn(scenario, emulator, clock, workspace))

async function runIn(
  scenario: Scenario,
  emulator: Emulator,
  clock: PatientClock,
  workspace: Workspace,
): Promise<Outcome> {
  const paths = workspace.paths(scenario.files)
  const runs: PlayedRun[] = []
  const deleted = new Set<string>()
  const violations: Violation[] = []
  const { reencode: changesFiles } = emulator.control.settings.get()
  const count = { kills: 0, signals: 0, deletions: 0, requests: 0 }
  const service = fetchTransport(emulator.fetch)
  let skewMs = scenario.skewMs
  const taken = new Set<ClockStep>()
  let folder = workspace.folder()
  let quiet = false

  function onRequest(): ScenarioBreak | undefined {
    count.requests += 1
    if (quiet) return undefined
    const { requests } = count
    for (const outage of scenario.outages) {
      const on = requests >= outage.nth && requests < outage.nth + outage.requests
      refuse(outage.what, on, emulator)
    }
    const planned = scenario.breaks.find(({ nth }) => nth === requests)
    if (planned !== undefined && planned.how !== 'kill -9') count.signals += 1
    return planned
  }

  function setClock(nth: number, at: ClockStep['at']): void {
    for (const step of scenario.clockSteps) {
      if (quiet || taken.has(step) || step.nth !== nth || step.at !== at) continue
      taken.add(step)
      skewMs += step.ms
    }
  }

  /** Sends a request; the machine's clock may be set meanwhile, and the answer may lose its Date. */
  async function send(request: TransportRequest): Promise<TransportResponse> {
    const nth = count.requests
    setClock(nth, 'before its body')
    const { body } = request
    const headers = { ...request.headers, 'x-run': String(runs.length) }
    async function* chunks() {
      for await (const chunk of body?.chunks() ?? []) {
        setClock(nth, 'in its body')
        yield chunk
      }
    }
    const response = await service.send({ ...request, headers, ...(body && { body: { ...body, chunks } }) })
    setClock(nth, 'before its answer')
    const { date, ...others } = response.headers
    return scenario.sendsDate ? response : { ...response, headers: others }
  }

  async function run(command: (options: RunOptions) => Promise<KillableRun>): Promise<KillableRun> {
    const next = workspace.folder()
    const work = command({
      scenario,
      apiKey: emulator.apiKey,
      folder,
      clock: clock.skewed(() => skewMs, scenario.hasMonotonic),
      transport: { send: (request) => clock.busyWith(send(request)) },
      limits: scenario.limited ? defaultLimits : unlimited,
      onRequest,
      onKill: ({ at, torn }) => copyAsAfterCrash(folder, next, torn ? (tornLines[at] ?? []) : []),
    })
    await clock.passUntil(work)
    const ended = await work
    if (ended.end === 'killed') count.kills += 1
    else copyAsAfterCrash(folder, next)
    folder = next
    return ended
  }

  async function evidence(): Promise<Evidence> {
    const sharesSlugs = emulator.control.settings.get().duplicate_content === 'same_slug'
    return { runs, deleted, sharesSlugs, ...(await serviceState(emulator)) }
  }

  /** @returns whether every file is stored */
  async function upload(): Promise<boolean> {
    const ended = await run((options) => runKillable(['upload', '--jobs', String(scenario.jobs), ...paths], options))
    runs.push({ ...ended, items: scenario.files, from: 'path', force: false, journal: true })
    violations.push(...judge(await evidence()))
    return paths.every((_, index) => ended.records.get(index)?.upload)
  }

  /** Of the last run that started the file. */
  const lastReport = (index: number) =>
    runs.map(({ records }) => records.get(index)).findLast((report) => report && report.error?.code !== 'not-started')

  async function remove(index: number): Promise<void> {
    const { slug } = lastReport(index % paths.length)?.upload ?? {}
    if (slug === undefined || deleted.has(slug)) return
    count.deletions += 1
    deleted.add(slug)
    for (;;) {
      const { records } = await run((options) => runKillable(['delete', '--yes', '--', slug], options))
      const { status, error } = records.get(0) ?? {}
      if (status === 'deleted' || error?.code === 'not-found') return
    }
  }

  for (const { type, size, secondsAgo } of scenario.foreignUploads) {
    const created_at = new Date(scenario.startAt - secondsAgo * 1_000).toISOString()
    emulator.control.accounts.addUploads(1, { count: 1, mime_type: `image/${type}`, size, created_at })
  }
  emulator.control.faults.set(
    scenario.faults.map(({ nth, action }) => ({ match: { ...struckBy(action), nth }, times: 1, action })),
  )
  let complete = await upload()
  for (const { ms, deletes } of scenario.pauses) {
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
  const needed = runs.length
  // Once all is stored, the same command stores nothing more.
  if (complete) await upload()
  violations.push(...judgeEnd({ ...(await evidence()), known: [] }))
  const { requests } = emulator.control.requests.list()
  const refusals = requests.filter(({ status, fault }) => status === 429 && fault === undefined).length
  const [files, reports] = [paths.length, paths.map((_, index) => lastReport(index))]
  return { violations: unique(violations), files, changesFiles, reports, ...count, runs: needed, refusals, struck }
}

/** Not for deletions: some services confirm one with an empty 204, so the client cannot tell it from a fault. */
function struckBy(action: FaultAction): FaultMatch {
  const isEmptySuccess = action.type === 'status' && action.status === 204
  return { path: '/api/*', ...(isEmptySuccess && { method: 'POST' }) }
}

/** The journal lines that a kill at this point can cut: nothing that happened later depends on them. */
const tornLines: Partial<Record<ScenarioBreak['at'], readonly string[]>> = {
  'at its first byte': ['intent'],
  'once it is reported': ['done', 'hashed', 'not-stored', 'unknown', 'found'],
}

function refuse(what: 'disabled' | 'suspended', on: boolean, { control }: Emulator): void {
  if (what === 'disabled') control.settings.update({ api_enabled: !on })
  else for (const { id } of control.accounts.list()) control.accounts.update(id, { suspended: on })
}
