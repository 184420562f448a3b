import { mkdirSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Emulator } from '../../../emulator/index.ts'
import { fetchTransport, type TransportRequest, type TransportResponse } from '../../../src/index.ts'
import { defaultLimits, unlimited } from '../../../src/protocol/rate-limits.ts'
import { bytesOf, contentName, type Workspace } from '../files.ts'
import { runKillable } from '../killable-run.ts'
import { onEmulator } from '../on-emulator.ts'
import type { PatientClock } from '../patient-clock.ts'
import type { ScenarioFile } from '../scenario.ts'
import { serviceState } from '../stored.ts'
import { judge, judgeEnd, type PlayedRun, unique, type Violation } from '../verdict.ts'
import { processes } from './processes.ts'
import { recordedSlugs } from './recorded.ts'
import type { Pace, Story, StoryFault, StoryRun } from './story.ts'

/** What a story led to. */
export interface StoryOutcome {
  readonly violations: readonly Violation[]
  readonly runs: readonly PlayedRun[]
  /** Whether the service changes files before it stores them: then neither sizes nor bytes prove much. */
  readonly changesFiles: boolean
  readonly requests: number
  /** Types of the faults that struck. */
  readonly struck: readonly string[]
}

/** How often the last command is run, without any faults. */
const LAST_RUNS = 3
const SITE = 'http://files.test'

/** Plays a story on an emulator of its own, and judges it before and after the last run. */
export function playStory(story: Story, workspace: Workspace): Promise<StoryOutcome> {
  const { dialect, changes } = story.settings
  // One slug for equal contents would leave nothing to tell apart.
  const told = { duplicate_content: 'new_slug', reencode: story.changesFiles && changes.reencode === true } as const
  const settings = { dialect, changes: { ...changes, ...told } }
  return onEmulator({ ...story, settings }, true, (emulator, clock) => playOn(emulator, story, clock, workspace))
}

async function playOn(emulator: Emulator, story: Story, clock: PatientClock, workspace: Workspace) {
  const { control } = emulator
  const paths = workspace.paths(story.files)
  const shared = workspace.folder()
  mkdirSync(join(shared, 'state'), { mode: 0o700 })
  const played: PlayedRun[] = []
  const send = createNetwork(emulator, clock, story.files)

  async function play(run: StoryRun, at: number): Promise<void> {
    // The program takes a path that is given twice once.
    const files = [...new Set(run.files.map((index) => index % story.files.length))]
    const items = (run.from === 'stdin' ? files.slice(0, 1) : files).map((index) => story.files[index] as ScenarioFile)
    const link = join(workspace.folder(), 'process')
    symlinkSync(shared, link)
    const { records, end, exitCode } = await processes.start(async (pid) => {
      let requests = 0
      return await runKillable(argvOf(run, files, paths), {
        scenario: { retries: run.retries },
        apiKey: emulator.apiKey,
        folder: join(link, 'state'),
        clock: clock.skewed(() => story.skewMs, true),
        transport: { send: (request) => send(request, at, run.paces) },
        limits: story.limited ? defaultLimits : unlimited,
        stdin: Readable.from([bytesOf(items[0] as ScenarioFile)]),
        idleDuring: clock.idleDuring,
        onRequest() {
          requests += 1
          return run.breaks.find(({ nth }) => nth === requests)
        },
        // What is left of the process writes elsewhere from now on.
        onKill() {
          processes.end(pid)
          unlinkSync(link)
          symlinkSync(workspace.folder(), link)
          mkdirSync(join(link, 'state'), { mode: 0o700 })
        },
      })
    })
    played[at] = { ...run, items, records, end, exitCode }
  }

  async function evidence() {
    return { runs: played, ...(await serviceState(emulator)) }
  }

  const sleeper = clock.skewed(() => 0, true)
  control.faults.set(story.faults.map(armed))
  const together = story.runs.map(async (run, at) => {
    // A millisecond apart, so that their order does not depend on the machine.
    await sleeper.sleep(run.startsAt + at)
    await play(run, at)
  })
  await clock.passUntil(Promise.all(together))
  const violations = [...judge(await evidence())]
  const struck = control.faults.list().flatMap((fault) => (fault.struck > 0 ? [fault.action.type] : []))
  control.faults.clear()
  await clock.passUntil(sleeper.sleep(story.pauseMs))
  const all = story.files.map((_, index) => index)
  const playLast = () => clock.passUntil(play({ ...lastRun, files: all }, played.length))
  const isComplete = () =>
    played.length > story.runs.length && [...(played.at(-1)?.records.values() ?? [])].every(({ upload }) => upload)
  for (let left = LAST_RUNS; left > 0 && !isComplete(); left -= 1) await playLast()
  if (isComplete()) await playLast()
  const known = recordedSlugs(story.files, join(shared, 'state'), { clock: sleeper, apiKey: emulator.apiKey })
  violations.push(...judge(await evidence()), ...judgeEnd({ ...(await evidence()), known }))
  const { requests } = control.requests.list()
  const { reencode: changesFiles } = control.settings.get()
  return { violations: unique(violations), runs: played, changesFiles, requests: requests.length, struck }
}

/** Without any trouble, once all others have ended. */
const lastRun: Omit<StoryRun, 'files'> = {
  startsAt: 0,
  from: 'path',
  force: false,
  journal: true,
  jobs: 2,
  retries: 3,
  paces: [{ before: 3, within: 0, after: 3 }],
  breaks: [],
}

function argvOf(run: StoryRun, files: readonly number[], paths: readonly string[]): readonly string[] {
  const named = files.map((index) => paths[index] ?? '')
  const nameOf = (path: string) => path.replace(/^.*\//, '')
  const inputs = {
    path: named,
    url: named.map((path) => `${SITE}/${nameOf(path)}`),
    stdin: ['-', '--name', nameOf(named[0] ?? '')],
  }
  const flags = [...(run.force ? ['--force'] : []), ...(run.journal ? [] : ['--no-journal'])]
  return ['upload', '--jobs', String(run.jobs), ...flags, ...inputs[run.from]]
}

/** Requests on their way, each as slow as its run's list says. Names the run in a header, so that its uploads are known. */
function createNetwork(emulator: Emulator, clock: PatientClock, files: readonly ScenarioFile[]) {
  const service = fetchTransport(emulator.fetch)
  const site = fetchTransport(async ({ url }) => {
    const content = files.find((file) => url.includes(contentName(file)))
    if (content === undefined) return new Response('', { status: 404 })
    const bytes = bytesOf(content)
    return new Response(new Uint8Array(bytes), { headers: { 'content-length': String(bytes.length) } })
  })
  const { sleep } = clock.skewed(() => 0, true)
  const counts = new Map<number, number>()

  return async (request: TransportRequest, run: number, paces: readonly Pace[]): Promise<TransportResponse> => {
    const { body } = request
    const count = counts.get(run) ?? 0
    counts.set(run, count + 1)
    const { before = 0, within = 0, after = 0 } = paces[count % paces.length] ?? {}
    async function* chunks() {
      let held: Uint8Array | undefined
      for await (const chunk of body?.chunks() ?? []) {
        if (held) yield held
        held = chunk
      }
      await clock.idleDuring(sleep(within + run))
      if (held) yield held
    }
    await sleep(before + run)
    const { send } = request.url.startsWith(SITE) ? site : service
    const headers = { ...request.headers, 'x-run': String(run) }
    try {
      return await clock.busyWith(send({ ...request, headers, ...(body && { body: { ...body, chunks } }) }))
    } finally {
      await sleep(after + run)
    }
  }
}

function armed({ on, nth, action }: StoryFault) {
  const kinds = {
    upload: { method: 'POST', path: '/api/upload' },
    list: { method: 'GET', path: '/api/uploads' },
    any: { path: '/api/*' },
  }
  return { match: { ...kinds[on], nth }, times: 1, action }
}
