import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ClaimLostError, createClaim } from '../../../src/contents/claim.ts'
import type { FleetClaim } from '../../../src/contents/fleet/fleet-claims.ts'
import { createSharedContents } from '../../../src/contents/fleet/shared-contents.ts'
import { createJournal } from '../../../src/contents/journal.ts'
import { openJournalFile } from '../../../src/contents/journal-file.ts'
import type { Holder, OpenEntry, Standing } from '../../../src/contents/journal-items.ts'
import type { Reconciliation, UploadIntent } from '../../../src/index.ts'
import { instantClock } from '../../helpers/instant-clock.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const content = { size: 3, sha256: 'abc' }
const intent: UploadIntent = { size: 3, mimeType: 'image/png', startedAt: 0, endedAt: null, knownSlugs: [] }
const first: Standing = { type: 'first' }
type Tools = Parameters<typeof createClaim>[3]

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
  const settled: OpenEntry[] = []
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
  const credentials = { baseUrl: 'http://h', apiKey: 'key' }
  const inMemory = createJournal({ credentials, clock, file: undefined, record: undefined, onProblem() {} })
  const journal = { ...inMemory, isOver: () => isOver }
  const shared = createSharedContents(fleet as never, { journal, client: { list }, context } as never)
  const reconciler = {
    settleUnread: async () => false,
    async settle(entry: OpenEntry, _: unknown, outcome: Reconciliation = { type: 'not-stored' }) {
      settled.push(entry)
      journal.settle(entry, outcome)
    },
  }
  const sending = { label: 'a.png', path: 'a.png', hash: async () => hash, grace: { signal, allSent: () => false } }
  const tools = { journal, shared, reconciler, context }
  const claim = createClaim('/a.png', content, sending as never, tools as unknown as Tools)
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
    claim.end('unknown')
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
  expect(settled).toMatchObject([{ intent: { path: '/a.png', mime_type: 'image/png' } }])
  expect(told).toEqual([['theirs', { type: 'not-stored' }]])
})

/** Runs that share a journal, in a folder that can be removed. */
function runsOfOneJournal() {
  const folder = temporaryFolder()
  const clock = instantClock()
  const credentials = { baseUrl: 'http://h', apiKey: 'key' }
  const { signal } = new AbortController()
  const hash = async () => content.sha256
  const sending = { label: 'a.png', path: 'a.png', hash, grace: { signal, allSent: () => false } }
  const reconciler = { settleUnread: async () => false }
  function open() {
    const file = openJournalFile(join(folder, 'state', 'uploads.journal'), { makeFolder: true })
    return createJournal({ credentials, clock, file, record: undefined, onProblem() {} })
  }
  return {
    clock,
    open,
    lose: () => rmSync(join(folder, 'state'), { recursive: true }),
    claimBy(comparison: object | undefined, { sha256 = content.sha256, waitsInVain = (): boolean => false } = {}) {
      const own = open()
      const journal = {
        ...own,
        claim: (...[path, of]: Parameters<typeof own.claim>) => ({ ...own.claim(path, of), waitsInVain }),
      }
      const tools = { journal, reconciler, comparison, context: { clock, note() {} } }
      return createClaim('/a.png', { ...content, sha256 }, sending as never, tools as unknown as Tools)
    },
  }
}

test.each(['abc', ''])(
  'a claim with the hash "%s" that is behind that of another run after the journal was lost sends nothing',
  async (sha256) => {
    const { claimBy, open, lose } = runsOfOneJournal()
    const [claim, forced] = [claimBy({}, { sha256 }), claimBy(undefined)]
    expect(await claim.outcomeOfOthers()).toBeUndefined()
    lose()
    open().claim('/b.png', content)
    await expect(claim.intend(intent)).rejects.toBeInstanceOf(ClaimLostError)
    await expect(forced.intend(intent)).resolves.toBeUndefined()
  },
)

test('a run that sends tells its claim again within a second after the journal was removed', async () => {
  const { claimBy, open, lose, clock } = runsOfOneJournal()
  const claims = [claimBy({}), claimBy(undefined)]
  for (const claim of claims) await claim.intend(intent)
  lose()
  await clock.sleep(1_000)
  for (const claim of claims) claim.look()
  expect(open().claim('/b.png', content).standing()).toMatchObject({ type: 'waits', holder: { id: claims[0]?.id } })
  expect(claims.map(({ signal }) => signal.aborted)).toEqual([false, false])
})

test('an upload under way ends where the journal was removed and another run has claimed its content since', async () => {
  const { claimBy, open, lose, clock } = runsOfOneJournal()
  const claim = claimBy({})
  await claim.intend(intent)
  lose()
  open().claim('/b.png', content)
  claim.look()
  expect(claim.signal.aborted).toBe(false)
  await clock.sleep(1_000)
  claim.look()
  expect(claim.signal.reason).toBeInstanceOf(ClaimLostError)
})

test('a file whose hash is not known yet is hashed while it is sent, once another run waits for its content', async () => {
  const { claimBy, open, clock } = runsOfOneJournal()
  const claim = claimBy({}, { sha256: '' })
  await claim.outcomeOfOthers()
  await claim.intend(intent)
  const other = open().claim('/b.png', { size: content.size, sha256: 'def' })
  expect(other.standing()).toMatchObject({ type: 'waits', holder: { id: claim.id } })
  await clock.sleep(1_000)
  claim.look()
  await new Promise((resolve) => setImmediate(resolve))
  expect(other.standing()).toEqual({ type: 'first' })
  expect(open().claim('/c.png', content).standing()).toMatchObject({ type: 'waits', holder: { id: claim.id } })
})

test('a run that waits in vain for another one gives the file up, whose outcome is unknown then', async () => {
  const { claimBy, open } = runsOfOneJournal()
  open().claim('/b.png', content)
  const claim = claimBy({}, { waitsInVain: () => true })
  await expect(claim.outcomeOfOthers()).rejects.toMatchObject({ code: 'outcome-unknown' })
})
