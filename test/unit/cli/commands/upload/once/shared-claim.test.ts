import { expect, test } from 'vitest'
import {
  ClaimLostError,
  createSharedClaim,
  type SharedClaimTools,
} from '../../../../../../src/cli/commands/upload/once/shared-claim.ts'
import type { Claim } from '../../../../../../src/cli/journal/journal.ts'
import type { Holder, OpenEntry } from '../../../../../../src/cli/journal/journal-items.ts'
import type { UploadIntent } from '../../../../../../src/index.ts'
import { instantClock } from '../../../../../helpers/instant-clock.ts'

const content = { size: 3, sha256: 'abc' }
const intent: UploadIntent = { size: 3, mimeType: 'image/png', startedAt: 0, endedAt: null, knownSlugs: [] }

/** A claim of a runner that the fleet answers so, for a file that the list never shows. */
function answered(standing: () => Promise<unknown>, { isKept = true, isOver = false, outcome = {} } = {}) {
  const clock = instantClock()
  const looks: number[] = []
  const told: unknown[] = []
  const { signal } = new AbortController()
  const release = (how: string) => void told.push(how)
  const own = { id: 'run-1', lost: signal, standing, isDoubtful: () => false, intend: async () => isKept, release }
  const fleet = {
    claim: () => own,
    memory: () => undefined,
    settle: (entry: OpenEntry, how: unknown) => told.push([entry.intent.id, how]),
    giveUp: (holder: Holder) => told.push(holder.run.run),
  }
  const learnt: unknown[] = []
  const journal = {
    known: () => [],
    unsettled: () => learnt.map((intent) => ({ intent, endedAt: null })),
    isOver: () => isOver,
    learn: (fact: object) => learnt.push({ ...fact, id: 'here' }) && 'here',
    latest: () => ({ outcomeOf: () => ('type' in outcome ? outcome : undefined) }),
  }
  const claim = { id: 'run-1', standing: () => ({ type: 'first' }), intend() {}, notStored() {}, unknown() {} }
  const look = { find: async () => void looks.push(clock.now()) }
  const tools = { clock, journal, shared: { fleet, settling: (ms: number) => told.push(ms) }, look, signal }
  const file = { path: 'a.png', name: '/a.png', content }
  const shared = createSharedClaim(claim as unknown as Claim, file, tools as unknown as SharedClaimTools)
  return { clock, looks, told, shared, outcome }
}

const cutOff = (isKept = true) => answered(async () => ({ type: 'alone' }), { isKept })

/** After both looks at the list. */
async function looked(isKept = true) {
  const { shared, ...rest } = cutOff(isKept)
  await shared.standing()
  await shared.standing()
  return { shared, ...rest }
}

test('a runner that is cut off looks at the list, waits a random moment, and looks again before it sends', async () => {
  const { shared, looks } = cutOff()
  const first = await shared.standing()
  expect(first).toMatchObject({ type: 'unknown', lookAgainMs: expect.any(Number) })
  expect(await shared.standing()).toEqual({ type: 'first' })
  expect(looks).toHaveLength(2)
  await expect(shared.intend(intent)).resolves.toBeUndefined()
})

test('a runner that is cut off and had to wait for quota after its look does not send before it has looked again', async () => {
  const { shared, clock } = await looked()
  await clock.sleep(60_000)
  await expect(shared.intend(intent)).rejects.toBeInstanceOf(ClaimLostError)
})

test('a runner whose claim is lost sends nothing', async () => {
  const { shared } = await looked(false)
  await expect(shared.intend(intent)).rejects.toBeInstanceOf(ClaimLostError)
})

test('an upload of unknown outcome stays open for the fleet, and one that was not sent does not', async () => {
  const released = []
  for (const isSent of [true, false]) {
    const { shared, told } = await looked()
    if (isSent) await shared.intend(intent)
    shared.unknown()
    released.push(...told)
  }
  expect(released).toEqual(['unknown', 'not-stored'])
})

test('fh says once that it waits for a fleet that begins again', async () => {
  const { shared, told } = answered(async () => ({ type: 'settling', waitMs: 5_000 }))
  expect([await shared.standing(), told]).toEqual([{ type: 'unknown', lookAgainMs: 5_000 }, [5_000]])
})

test('a holder whose process has ended here is given up at once', async () => {
  const holder = { run: { run: 'r.1' }, id: 'other' }
  const { shared, told } = answered(async () => ({ type: 'waits', holder }), { isOver: true })
  expect([await shared.standing(), told]).toEqual([{ type: 'waits', lookAgainMs: 500 }, ['r.1']])
})

test('what a holder that is gone has sent is looked for as if it had been a run of this machine, and told to all', async () => {
  const left = { id: 'theirs', run: 'r.1', path: '-b.png', at: 0, size: 3, sha256: 'abc', mime_type: 'image/png' }
  const outcome = {}
  const open = async () => ({ type: 'open', entry: { intent: left, endedAt: null } })
  const { shared, told } = answered(open, { outcome })
  const entry = { intent: { id: 'here', path: '/a.png', mime_type: 'image/png' } }
  expect(await shared.standing()).toMatchObject({ type: 'open', entry })
  Object.assign(outcome, { type: 'not-stored' })
  await shared.standing()
  expect(told).toEqual([['theirs', { type: 'not-stored' }]])
})
