import { expect, test } from 'vitest'
import {
  ClaimLostError,
  createSharedClaim,
  type SharedClaimTools,
} from '../../../../../../src/cli/commands/upload/once/shared-claim.ts'
import type { Claim } from '../../../../../../src/cli/journal/journal.ts'
import type { UploadIntent } from '../../../../../../src/index.ts'
import { instantClock } from '../../../../../helpers/instant-clock.ts'

const content = { size: 3, sha256: 'abc' }
const intent: UploadIntent = { size: 3, mimeType: 'image/png', startedAt: 0, endedAt: null, knownSlugs: [] }

type Ask = (sha256: string, name: string, ended?: string) => Promise<unknown>

/** A claim of a runner that Redis answers so, for a file that the list never shows. */
function answered(ask: Ask, isOver = () => false) {
  const clock = instantClock()
  const looks: number[] = []
  const told: number[] = []
  const claim = { id: 'run-1', standing: () => ({ type: 'first' }), intend() {}, notStored() {}, unknown() {} }
  const tools = {
    clock,
    journal: { known: () => [], unsettled: () => [], isOver },
    shared: { fleet: { claim: ask }, settling: (ms: number) => told.push(ms) },
    look: { find: async () => void looks.push(clock.now()) },
    signal: new AbortController().signal,
  }
  const file = { path: 'a.png', name: '/a.png', content }
  const shared = createSharedClaim(claim as unknown as Claim, file, tools as unknown as SharedClaimTools)
  return { clock, looks, told, shared }
}

function cutOff(isKept = true) {
  const releases: string[] = []
  const held = {
    lost: new AbortController().signal,
    isDoubtful: () => false,
    intend: async () => isKept,
    release: (outcome: string) => void releases.push(outcome),
  }
  return { releases, ...answered(async () => ({ type: 'alone', claim: held })) }
}

test('a runner that is cut off looks at the list, waits a random moment, and looks again before it sends', async () => {
  const { shared, looks } = cutOff()
  const first = await shared.standing()
  expect(first).toMatchObject({ type: 'waits', lookAgainMs: expect.any(Number) })
  expect(await shared.standing()).toEqual({ type: 'first' })
  expect(looks).toHaveLength(2)
  await expect(shared.intend(intent)).resolves.toBeUndefined()
})

test('a runner that is cut off and had to wait for quota after its look does not send before it has looked again', async () => {
  const { shared, clock } = cutOff()
  await shared.standing()
  await shared.standing()
  await clock.sleep(60_000)
  await expect(shared.intend(intent)).rejects.toBeInstanceOf(ClaimLostError)
})

test('a runner whose claim is lost sends nothing', async () => {
  const { shared } = cutOff(false)
  await shared.standing()
  await shared.standing()
  await expect(shared.intend(intent)).rejects.toBeInstanceOf(ClaimLostError)
})

test('an upload of unknown outcome stays open for the fleet, and one that was not sent does not', async () => {
  const released = []
  for (const isSent of [true, false]) {
    const { shared, releases } = cutOff()
    await shared.standing()
    await shared.standing()
    if (isSent) await shared.intend(intent)
    shared.unknown()
    released.push(...releases)
  }
  expect(released).toEqual(['open', 'not-stored'])
})

test('fh says once that it waits for a fleet that begins again', async () => {
  const { shared, told } = answered(async () => ({ type: 'settling', waitMs: 5_000 }))
  expect([await shared.standing(), told]).toEqual([{ type: 'waits', lookAgainMs: 5_000 }, [5_000]])
})

test('a runner that waits for a claim asks Redis every two seconds, and at once after the process ended here', async () => {
  const asked: (string | undefined)[] = []
  let isOver = false
  const { shared } = answered(
    async (_, __, ended) => asked.push(ended) && { type: 'waits', holder: 'other' },
    () => isOver,
  )
  for (let look = 0; look < 8; look += 1) expect(await shared.standing()).toEqual({ type: 'waits', lookAgainMs: 500 })
  expect(asked).toEqual([undefined, undefined])
  isOver = true
  await shared.standing()
  expect(asked.slice(2)).toEqual([undefined, 'other'])
})
