import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { QuotaRow } from '../../../../src/pacing/shared/quota-row.ts'
import { type QuotaLimits, type WindowName, windowLengthMs, windowNames } from '../../../../src/protocol/rate-limits.ts'
import type { QuotaStore } from '../../../../src/store/quota-store.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'
import { createLedgerRig, KilledError, type PretendedProcess, storeCalls } from './ledger-rig.ts'

const limits: QuotaLimits = { burst: 20, minute: 60, hour: 200, day: 400 }
const processCount = 4

/** One action of a process. */
type Step =
  | { readonly type: 'reserve'; readonly process: number; readonly cost: number }
  | { readonly type: 'settle'; readonly process: number; readonly status: number }
  | { readonly type: 'kill'; readonly process: number }
  | { readonly type: 'pass'; readonly ms: number }

const process = fc.nat({ max: processCount - 1 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('reserve'), process, cost: fc.constantFrom(1, 3, 10) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('settle'), process, status: fc.constantFrom(201, 404, 500) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('kill'), process }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('pass'), ms: fc.constantFrom(10, 2_000, 11_000, 61_000, 3_600_000) }),
  },
)

interface Charge {
  readonly from: number
  to: number
  readonly cost: number
}

/** The most units that a service may count in a window, if it charges each request at the worst instant. */
function mostAtOnce(charges: readonly Charge[], name: WindowName): number {
  return Math.max(
    0,
    ...charges.map(({ to: at }) => {
      const opened = charges.filter(({ from, to }) => from <= at && to > at - windowLengthMs[name])
      return opened.reduce((sum, { cost }) => sum + cost, 0)
    }),
  )
}

function unlessKilled(error: unknown): undefined {
  if (!(error instanceof KilledError)) throw error
}

/**
 * Runs steps, and inserts further ones before and after the turn of a process: only there the order of actions of
 * different processes matters.
 */
async function play(folder: string, steps: readonly Step[]) {
  const rig = createLedgerRig(folder)
  const charges: Charge[] = []
  const held: { id: string; process: number; ledger: PretendedProcess['ledger']; charge: Charge }[] = []
  const running: Promise<void>[] = []
  const queue = [...steps]
  let depth = 0
  let [turns, interruptions] = [0, 0]

  function interrupted(store: QuotaStore<QuotaRow>): QuotaStore<QuotaRow> {
    return {
      ...storeCalls(store),
      turn(decide) {
        turns += 1
        // A reservation takes several turns: were each interrupted twice, all steps would happen at one instant.
        if (turns % 3 === 0) next()
        const result = store.turn(decide)
        if (turns % 4 === 0) next()
        return result
      },
    }
  }
  const start = () => rig.open({ limits, around: interrupted })
  const processes = Array.from({ length: processCount }, start)
  const busy = new Set<number>()

  async function reserve(index: number, cost: number): Promise<void> {
    const actor = processes[index]
    if (actor === undefined) return
    const from = rig.clock.now()
    const reservation = await actor.ledger.reserve(cost).catch(unlessKilled)
    if (reservation?.type !== 'granted') return
    const charge = { from, to: Number.POSITIVE_INFINITY, cost }
    charges.push(charge)
    if (processes[index] === actor) held.push({ id: reservation.id, process: index, ledger: actor.ledger, charge })
    else charge.to = rig.clock.now()
  }

  function act(each: Step): void {
    if (each.type === 'pass') {
      // Time passes only between the actions of processes.
      if (depth === 0) void rig.clock.sleep(each.ms)
    } else if (busy.has(each.process)) {
      return
    } else if (each.type === 'kill') {
      kill(each.process)
    } else {
      busy.add(each.process)
      if (each.type === 'reserve') running.push(reserve(each.process, each.cost))
      else settle(each.process, each.status)
      busy.delete(each.process)
    }
  }

  function kill(index: number): void {
    processes[index]?.kill()
    for (const { charge, process: owner } of held) if (owner === index) charge.to = Math.min(charge.to, rig.clock.now())
    held.splice(0, held.length, ...held.filter(({ process: owner }) => owner !== index))
    processes[index] = start()
  }

  function settle(index: number, status: number): void {
    const place = held.findIndex(({ process: owner }) => owner === index)
    const [request] = place < 0 ? [] : held.splice(place, 1)
    if (request === undefined) return
    const at = rig.clock.now()
    request.charge.to = at
    running.push(request.ledger.settle(request.id, { type: 'answered', at, status, report: {} }).catch(unlessKilled))
  }

  function next(): void {
    const each = queue.shift()
    if (each === undefined) return
    depth += 1
    interruptions += 1
    try {
      act(each)
    } finally {
      depth -= 1
    }
  }

  while (queue.length > 0) {
    const each = queue.shift()
    if (each !== undefined) act(each)
    // Those that interrupted them began others.
    while (running.length > 0) await Promise.all(running.splice(0))
  }
  expect(processes.flatMap(({ problems }) => problems)).toEqual([])
  const ended = charges.map((charge) => ({ ...charge, to: Math.min(charge.to, rig.clock.now()) }))
  return { charges: ended, interruptions }
}

test('no window is exceeded, however processes interrupt each other and whichever of them is killed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 300 }), async (steps) => {
      const { charges } = await play(temporaryFolder(), steps)
      for (const name of windowNames) expect(mostAtOnce(charges, name)).toBeLessThanOrEqual(limits[name] ?? 0)
    }),
    { numRuns: 150 },
  )
})

test('the steps of that property do interrupt each other', async () => {
  const steps = fc.sample(fc.array(step, { minLength: 1_200, maxLength: 1_200 }), { numRuns: 1, seed: 1 })[0] ?? []
  const { charges, interruptions } = await play(temporaryFolder(), steps)
  expect(interruptions).toBeGreaterThan(15)
  expect(charges.length).toBeGreaterThan(15)
})
