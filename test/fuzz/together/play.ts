import { join } from 'node:path'
import { type Clock, fetchTransport, type TransportRequest, type TransportResponse } from '../../../src/index.ts'
import { SqliteUploads } from '../../../src/store/sqlite-uploads.ts'
import { accountAddress, accountHash } from '../../../src/system/account-hash.ts'
import { answerCache } from '../../helpers/answer-cache.ts'
import { uploadObject } from '../../helpers/media.ts'
import { bytesOf, contentName, type Workspace } from '../files.ts'
import { BASE_URL } from '../killable-run.ts'
import { type Outcome, openStage, SITE, type Stage } from '../stage.ts'
import { recordedSlugs } from './recorded.ts'
import type { Pace, Story, StoryFault, StoryRun } from './story.ts'

/** Plays a story on an emulator of its own, and judges it before and after the last run. */
export async function playStory(story: Story, workspace: Workspace): Promise<Outcome> {
  const { dialect, changes } = story.settings
  // One slug for equal contents would leave nothing to tell apart.
  const told = { duplicate_content: 'new_slug', reencode: story.changesFiles && changes.reencode === true } as const
  const settings = { dialect, changes: { ...changes, ...told } }
  const stage = await openStage({ ...story, settings }, workspace, true)
  try {
    return await playOn(stage, story)
  } finally {
    await stage.emulator.close()
  }
}

async function playOn(stage: Stage, story: Story): Promise<Outcome> {
  const { emulator, clock, runs } = stage
  const send = createNetwork(stage, story)

  async function play(run: StoryRun, at: number): Promise<boolean> {
    let requests = 0
    const killed = Promise.withResolvers<void>()
    return await stage.upload(run, at, {
      scenario: { retries: run.retries },
      clock: clock.skewed(() => story.skewMs, true),
      transport: { send: (request) => send(request, at, run.paces, killed.promise) },
      onKill: () => killed.resolve(),
      onRequest() {
        requests += 1
        return run.breaks.find(({ nth }) => nth === requests)
      },
    })
  }

  const sleeper = clock.skewed(() => 0, true)
  await recordUploads(stage, story, sleeper)
  emulator.control.faults.set(story.faults.map(armed))
  const together = story.runs.map(async (run, at) => {
    // A millisecond apart, so that their order does not depend on the machine.
    await sleeper.sleep(run.startsAt + at)
    await play(run, at)
  })
  await clock.passUntil(Promise.all(together))
  await stage.judge()
  await clock.passUntil(sleeper.sleep(story.pauseMs))
  const files = story.files.map((_, index) => index)
  async function playLast(): Promise<boolean> {
    const last = play({ ...lastRun, files }, runs.length)
    await clock.passUntil(last)
    await stage.judge()
    return await last
  }
  const { apiKey } = emulator
  return await stage.end(false, playLast, () => recordedSlugs(story.files, stage.folder, { clock: sleeper, apiKey }))
}

async function recordUploads(
  { folder, emulator }: Stage,
  { uploadsBefore, startAt }: Story,
  clock: Clock,
): Promise<void> {
  if (uploadsBefore === 0) return
  const account = { address: accountAddress(BASE_URL), keyHash: accountHash(BASE_URL, emulator.apiKey) }
  const store = new SqliteUploads({ path: join(folder, 'uploads.db'), account, clock, onProblem() {} })
  const at = startAt - 400_000_000
  for (let number = 0; number < uploadsBefore; number += 1) {
    const content = { size: 9_000 + number, sha256: String(number).padStart(64, '0') }
    const upload = { ...uploadObject, slug: `old${number}` }
    await store.seen({ content, path: '/old.gif', upload, at, seenAt: at })
  }
  await store.close()
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

/** Requests on their way, each as slow as its run's list says. Names the run in a header, so that its uploads are known. */
function createNetwork({ emulator, clock }: Stage, { files, cache, runs }: Story) {
  const direct = fetchTransport(emulator.fetch)
  const cached = cache && answerCache(direct, { ...cache, now: clock.service.now })
  const site = fetchTransport(async ({ url }) => {
    const content = files.find((file) => url.includes(`-${contentName(file)}.`))
    if (content === undefined) return new Response('', { status: 404 })
    const bytes = bytesOf(content)
    return new Response(new Uint8Array(bytes), { headers: { 'content-length': String(bytes.length) } })
  })
  const { sleep } = clock.skewed(() => 0, true)
  const counts = new Map<number, number>()

  return async (
    request: TransportRequest,
    run: number,
    paces: readonly Pace[],
    killed: Promise<void>,
  ): Promise<TransportResponse> => {
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
      // The system sends what a program has handed over before it was killed.
      await clock.idleDuring(Promise.race([sleep(within + run), killed]))
      if (held) yield held
    }
    await sleep(before + run)
    // Nothing troubles the last run.
    const service = (run < runs.length && cached) || direct
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
