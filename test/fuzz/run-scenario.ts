import type { FaultAction, FaultMatch } from '../../emulator/index.ts'
import { fetchTransport, type TransportRequest, type TransportResponse } from '../../src/index.ts'
import { answerCache } from '../helpers/answer-cache.ts'
import type { Workspace } from './files.ts'
import type { ClockStep, Scenario, ScenarioBreak } from './scenario.ts'
import { type Outcome, openStage, type Stage } from './stage.ts'

/** Runs a scenario on an emulator of its own, and judges the result after each run. */
export async function runScenario(scenario: Scenario, workspace: Workspace): Promise<Outcome> {
  const stage = await openStage(scenario, workspace)
  try {
    return await runOn(stage, scenario)
  } finally {
    await stage.emulator.close()
  }
}

async function runOn(stage: Stage, scenario: Scenario): Promise<Outcome> {
  const { emulator, clock, runs } = stage
  const { control } = emulator
  const deleted = new Set<string>()
  const sharesSlugs = control.settings.get().duplicate_content === 'same_slug'
  const direct = fetchTransport(emulator.fetch)
  const cache = scenario.cache && answerCache(direct, { ...scenario.cache, now: clock.service.now })
  let skewMs = scenario.skewMs
  const taken = new Set<ClockStep>()
  let requests = 0
  let quiet = false

  function onRequest(): ScenarioBreak | undefined {
    requests += 1
    if (quiet) return undefined
    for (const { what, nth, requests: count } of scenario.outages) {
      refuse(what, requests >= nth && requests < nth + count)
    }
    return scenario.breaks.find(({ nth }) => nth === requests)
  }

  function refuse(what: 'disabled' | 'suspended', on: boolean): void {
    if (what === 'disabled') control.settings.update({ api_enabled: !on })
    else for (const { id } of control.accounts.list()) control.accounts.update(id, { suspended: on })
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
    const nth = requests
    setClock(nth, 'before its body')
    const { body } = request
    const headers = { ...request.headers, 'x-run': String(runs.length) }
    async function* chunks() {
      for await (const chunk of body?.chunks() ?? []) {
        setClock(nth, 'in its body')
        yield chunk
      }
    }
    const service = (!quiet && cache) || direct
    const response = await service.send({ ...request, headers, ...(body && { body: { ...body, chunks } }) })
    setClock(nth, 'before its answer')
    const { date, ...others } = response.headers
    return scenario.sendsDate ? response : { ...response, headers: others }
  }

  async function passing<Result>(work: Promise<Result>): Promise<Result> {
    await clock.passUntil(work)
    return await work
  }

  const torn = new Set<ScenarioBreak>()
  const options = () => ({
    scenario,
    clock: clock.skewed(() => skewMs, scenario.hasMonotonic),
    transport: { send: (request: TransportRequest) => clock.busyWith(send(request)) },
    onRequest,
    nextBreak: () => (quiet ? undefined : scenario.breaks.find((one) => one.nth === requests + 1 && !torn.has(one))),
    // The next run would be killed at its first commit, and so would all after it.
    onTorn: (planned: ScenarioBreak) => void torn.add(planned),
  })

  const files = scenario.files.map((_, index) => index)
  const whole = { files, from: 'path', force: false, journal: true, jobs: scenario.jobs } as const

  /** @returns whether every file is stored */
  async function upload(): Promise<boolean> {
    const isComplete = await passing(stage.upload(whole, runs.length, options()))
    await stage.judge({ deleted, sharesSlugs })
    return isComplete
  }

  async function remove(index: number): Promise<void> {
    const { slug } = lastReport({ runs }, index % files.length)?.upload ?? {}
    if (slug === undefined || deleted.has(slug)) return
    deleted.add(slug)
    for (;;) {
      const { records } = await passing(stage.run(['delete', '--yes', '--', slug], options()))
      const { status, error } = records.get(0) ?? {}
      if (status === 'deleted' || error?.code === 'not-found') return
    }
  }

  for (const { type, size, secondsAgo } of scenario.foreignUploads) {
    const created_at = new Date(scenario.startAt - secondsAgo * 1_000).toISOString()
    control.accounts.addUploads(1, { count: 1, mime_type: `image/${type}`, size, created_at })
  }
  control.faults.set(
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
  for (const what of ['disabled', 'suspended'] as const) refuse(what, false)
  return await stage.end(complete, upload, async () => [])
}

/** Of the last run that started the file. */
export function lastReport({ runs }: Pick<Outcome, 'runs'>, index: number) {
  return runs
    .map(({ records }) => records.get(index))
    .findLast((report) => report && report.error?.code !== 'not-started')
}

/** Not for deletions: some services confirm one with an empty 204, so the client cannot tell it from a fault. */
function struckBy(action: FaultAction): FaultMatch {
  const isEmptySuccess = action.type === 'status' && action.status === 204
  return { path: '/api/*', ...(isEmptySuccess && { method: 'POST' }) }
}
