import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FleetClaim } from '../../../src/contents/fleet/fleet-claims.ts'
import { createSharedContents } from '../../../src/contents/fleet/shared-contents.ts'
import type { Holder, OpenEntry, Standing } from '../../../src/contents/journal-items.ts'
import type { UploadIntent } from '../../../src/index.ts'
import { SqliteUploads } from '../../../src/store/sqlite-uploads.ts'
import type { OpenItem } from '../../../src/store/upload-store.ts'
import { Claim, ClaimLostError } from '../../../src/uploads/claim.ts'
import { instantClock } from '../../helpers/instant-clock.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const content = { size: 3, sha256: 'abc' }
const intent: UploadIntent = { size: 3, mimeType: 'image/png', startedAt: 0, endedAt: null, knownSlugs: [] }
const first: Standing = { type: 'first' }
type Tools = ConstructorParameters<typeof Claim>[3]

/** A clock that can be set. */
function settableClock() {
  const clock = instantClock()
  let backMs = 0
  return {
    ...clock,
    now: () => clock.now() - backMs,
    monotonic: clock.now,
    setBack(ms: number) {
      backMs = ms
    },
  }
}

/** A claim of a runner that the fleet gives these answers, the last one for ever; the list never shows its file. */
function answered(answers: readonly Standing[], { isKept = true, isOver = false, hash = content.sha256 } = {}) {
  const clock = settableClock()
  const looks: number[] = []
  const told: unknown[] = []
  const settled: OpenItem[] = []
  const { signal } = new AbortController()
  const left = [...answers]
  const own: Partial<FleetClaim> = {
    lost: signal,
    standing: async () => (left.length > 1 ? left.shift() : left[0]) ?? first,
    intend: async () => isKept,
    release: (how) => void told.push(how),
  }
  const fleet = {
    claim: () => own,
    memory: () => undefined,
    settle: ({ intent: { id } }: OpenEntry, how: unknown) => told.push([id, how]),
    giveUp: (holder: Holder) => told.push(holder.run.run),
  }
  const list = async () => {
    looks.push(clock.now())
    return { data: [], current_page: 1, last_page: 1, total: 0, per_page: 1 }
  }
  const note = ({ type }: { readonly type: string }) => told.push(type)
  const context = { clock, note, interruption: { stopping: signal }, reporter: { report() {} } }
  const account = { address: 'http://h', keyHash: 'key' }
  const store = new SqliteUploads({ path: undefined, account, clock, onProblem() {} })
  store.isOver = async () => isOver
  const shared = createSharedContents(fleet as never, { store, client: { list }, context } as never)
  const reconciler = {
    async settle(item: OpenItem) {
      settled.push(item)
      return { type: 'not-stored' }
    },
  }
  const sending = { label: 'a.png', path: 'a.png', hash: async () => hash, grace: { signal, allSent: () => false } }
  const tools = { store, shared, reconciler, context, comparison: {} }
  const claim = new Claim('/a.png', content, sending as never, tools as unknown as Tools)
  return { clock, looks, told, settled, claim }
}

const cutOff = (isKept = true) => answered([{ type: 'alone' }], { isKept })

test('a runner that is cut off looks at the list, waits a random moment, and looks again before it sends', async () => {
  const { claim, looks, clock } = cutOff()
  expect(await claim.outcomeOfOthers()).toBeUndefined()
  expect([looks.length, clock.sleeps.length]).toEqual([2, 1])
  await expect(claim.intend(intent)).resolves.toBeUndefined()
})

test.each([
  ['', 0],
  [', although the clock was set back meanwhile', 3_600_000],
])(
  'a runner that is cut off and had to wait for quota after its look looks again before it sends%s',
  async (_, backMs) => {
    const { claim, clock } = cutOff()
    await claim.outcomeOfOthers()
    await clock.sleep(60_000)
    clock.setBack(backMs)
    await expect(claim.intend(intent)).rejects.toBeInstanceOf(ClaimLostError)
  },
)

test('a runner whose claim is lost sends nothing', async () => {
  const { claim } = cutOff(false)
  await claim.outcomeOfOthers()
  await expect(claim.intend(intent)).rejects.toBeInstanceOf(ClaimLostError)
  await expect(answered([{ type: 'lost' }]).claim.outcomeOfOthers()).rejects.toBeInstanceOf(ClaimLostError)
})

test('an upload of unknown outcome stays open for the fleet, and one that was not sent does not', async () => {
  const released = []
  for (const isSent of [true, false]) {
    const { claim, told } = answered([first])
    await claim.outcomeOfOthers()
    if (isSent) await claim.intend(intent)
    await claim.end('unknown')
    released.push(...told)
  }
  expect(released).toEqual(['unknown', 'not-stored'])
})

test.each(['def', ''])('a file that has the hash "%s" once others were waited for is claimed again', async (hash) => {
  const { claim } = answered([{ type: 'waits' }, first], { hash })
  await expect(claim.outcomeOfOthers()).rejects.toBeInstanceOf(ClaimLostError)
})

test('fh says once that it waits for a fleet that begins again', async () => {
  const settling: Standing = { type: 'settling', waitMs: 5_000 }
  const { claim, clock, told } = answered([settling, settling, first])
  await claim.outcomeOfOthers()
  expect([clock.sleeps, told]).toEqual([[5_000, 5_000], ['runners-tell']])
})

test('a holder whose process has ended here is given up at once', async () => {
  const holder = { run: { run: 'r.1' }, id: 'other' } as Holder
  const { claim, clock, told } = answered([{ type: 'waits', holder }, first], { isOver: true })
  await claim.outcomeOfOthers()
  expect([clock.sleeps, told]).toEqual([[500], ['r.1']])
})

test('what a holder that is gone has sent is looked for as if it had been a run of this machine, and told to all', async () => {
  const left = { id: 'theirs', run: 'r.1', path: '-b.png', at: 0, size: 3, sha256: 'abc', mime_type: 'image/png' }
  const entry = { intent: { type: 'intent', base_url: '', key_hash: '', ...left }, endedAt: null } as const
  const { claim, settled, told } = answered([{ type: 'open', entry }, first])
  await claim.outcomeOfOthers()
  expect(settled).toMatchObject([{ path: '/a.png', attempt: { mimeType: 'image/png' } }])
  expect(told).toEqual([['theirs', { type: 'not-stored' }]])
})

/** Runs that share a state folder, which can be removed. */
function runsOfOneMachine() {
  const folder = temporaryFolder()
  const clock = instantClock()
  const account = { address: 'http://h', keyHash: 'key' }
  const { signal } = new AbortController()
  const sending = {
    label: 'a.png',
    path: 'a.png',
    hash: async () => content.sha256,
    grace: { signal, allSent: () => false },
  }
  const open = () => new SqliteUploads({ path: join(folder, 'state', 'uploads.db'), account, clock, onProblem() {} })
  return {
    clock,
    other: open(),
    remove: () => rmSync(join(folder, 'state', 'uploads.db')),
    claimBy(comparison: object | undefined, sha256 = content.sha256) {
      const tools = { store: open(), reconciler: {}, comparison, context: { clock, note() {} } }
      return new Claim('/a.png', { ...content, sha256 }, sending as never, tools as unknown as Tools)
    },
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
const another = { path: '/b.png', ...content, isForced: false }

test('an upload under way ends where the store was removed and another run has claimed its content since', async () => {
  const { claimBy, other, remove, clock } = runsOfOneMachine()
  const [claim, forced] = [claimBy({}), claimBy(undefined)]
  await claim.outcomeOfOthers()
  for (const one of [claim, forced]) await one.intend(intent)
  remove()
  expect(await other.claim(another)).toMatchObject({ type: 'mine' })
  claim.look()
  await turn()
  expect(claim.signal.aborted).toBe(true)
  expect(claim.signal.reason).toBeInstanceOf(ClaimLostError)
  await clock.sleep(1_000)
  forced.look()
  await turn()
  expect(forced.signal.aborted).toBe(false)
})

test('a run that sends looks once a second whether it still has its claim', async () => {
  const { claimBy, other, remove, clock } = runsOfOneMachine()
  const claim = claimBy({})
  await claim.outcomeOfOthers()
  await claim.intend(intent)
  claim.look()
  remove()
  await other.claim(another)
  claim.look()
  await turn()
  expect(claim.signal.aborted).toBe(false)
  await clock.sleep(1_000)
  claim.look()
  await turn()
  expect(claim.signal.aborted).toBe(true)
})

test('a file whose hash is not known yet is hashed while it is sent, once another run waits for its content', async () => {
  const { claimBy, other, clock } = runsOfOneMachine()
  const claim = claimBy({}, '')
  await claim.outcomeOfOthers()
  await claim.intend(intent)
  const rival = { ...another, sha256: 'def' }
  expect(await other.claim(rival)).toMatchObject({ type: 'waits', holder: { path: '/a.png' } })
  await clock.sleep(1_000)
  claim.look()
  await turn()
  expect(await other.claim(rival)).toMatchObject({ type: 'mine' })
  expect(await other.claim(another)).toMatchObject({ type: 'waits' })
})
