import { expect, test } from 'vitest'
import { contentsForm } from '../../src/contents/fleet/shared-fold.ts'
import { takesLong } from '../helpers/takes-long.ts'
import { createRandom, oneOf, type Random } from '../pacing/simulation/random.ts'
import { sample, sampleSeed } from '../sampling/sample.ts'
import { createFleet, intent, type Runner, shown, type TestFleet } from './contents-rig.ts'

const RUNNERS = 4
const contents = Array.from({ length: 4 }, (_, index) => ({ size: index + 1, sha256: String(index).repeat(64) }))
type Content = (typeof contents)[number]

/** The time of a story in milliseconds, for which runners wait. */
function createStoryTime() {
  let now = 0
  const waiting = new Set<{ readonly at: number; readonly go: () => void }>()
  const nap = (ms: number) => new Promise<void>((go) => waiting.add({ at: now + ms, go }))
  function pass(ms: number) {
    now += ms
    for (const one of [...waiting].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at)) {
      waiting.delete(one)
      one.go()
    }
  }
  return { nap, pass }
}

type Nap = ReturnType<typeof createStoryTime>['nap']

/** What may happen to a runner between two steps: it sleeps for longer than others wait for it, or answers are lost. */
function createMishaps({ line }: Runner, nap: Nap, random: Random) {
  let isAsleep = false
  return async () => {
    if (random() < 0.12) {
      isAsleep = true
      line.isCut = true
      await nap(35_000 + random() * 20_000)
      line.isCut = false
      isAsleep = false
    } else if (random() < 0.1 && !line.isCut) {
      line.losesAnswer = true
      void nap(1_000 + random() * 4_000).then(() => {
        line.losesAnswer = false
        if (!isAsleep) line.isCut = false
      })
    }
  }
}

type Claim = ReturnType<Runner['claim']>
type Standing = Awaited<ReturnType<Claim['standing']>>

interface World {
  readonly fleet: TestFleet
  readonly nap: Nap
  readonly random: Random
  /** The slugs of each content. */
  readonly service: Map<Content, string[]>
  readonly losesMemory: boolean
}

/** A runner that uploads all contents to a service, in an order of its own. */
function createUploader({ fleet, nap, random, service, losesMemory }: World) {
  const runner = fleet.join()
  const mishap = createMishaps(runner, nap, random)
  let named = 0
  const name = () => {
    named += 1
    return `${random().toString(36).slice(2)}-${named}`
  }

  /** @returns whether the bytes went out whole */
  async function send(content: Content, claim: Claim): Promise<boolean> {
    await mishap()
    if (!(await claim.intend({ ...intent, size: content.size }))) return false
    for (let step = 0; step < 3; step += 1) {
      await nap(500 + random() * 2_500)
      await mishap()
      // A runner that was cut off hears within three seconds what has become of its claim: until then it may still send.
      await nap(4_000)
      if (claim.lost.aborted || claim.isDoubtful()) return false
    }
    return true
  }

  const stored = (content: Content) => service.get(content)?.[0]

  /** Looks at the list for a runner that is gone. */
  async function inherit(content: Content, { entry }: Extract<Standing, { type: 'open' }>) {
    await nap(1_000)
    const slug = stored(content)
    const found = slug && ({ type: 'stored', upload: shown(content, slug).upload } as const)
    runner.settle(entry, found || { type: 'not-stored' })
  }

  /** @returns whether this runner knows that the account has it */
  async function upload(content: Content, claim: Claim): Promise<boolean> {
    // Where Redis has lost something, the list is read first.
    const known = losesMemory ? stored(content) : undefined
    if (known !== undefined) runner.confirm(shown(content, known))
    if (known !== undefined || !(await send(content, claim))) {
      claim.release('not-stored')
      return known !== undefined
    }
    const slug = name()
    service.set(content, [...(service.get(content) ?? []), slug])
    await mishap()
    const isKnown = random() < 0.8
    if (isKnown) runner.confirm(shown(content, slug), claim.id)
    claim.release(isKnown ? 'stored' : 'unknown')
    return isKnown
  }

  /** @returns whether the account has it as far as this runner knows; undefined if it waits */
  async function step(content: Content, claim: Claim): Promise<boolean | undefined> {
    await mishap()
    const standing = await claim.standing()
    if (standing.type === 'first') return await upload(content, claim)
    if (standing.type === 'open') await inherit(content, standing)
    if (['open', 'waits', 'silent', 'settling'].includes(standing.type)) return void (await nap(500))
    if (standing.type === 'alone') await nap(2_000)
    claim.release('not-stored')
    return standing.type === 'stored'
  }

  return async () => {
    for (const content of [...contents].sort(() => random() - 0.5)) {
      for (let isStored = false; !isStored; ) {
        const claim = runner.claim(name(), content)
        let outcome: boolean | undefined
        while (outcome === undefined) outcome = await step(content, claim)
        isStored = outcome
      }
      await nap(random() * 2_000)
    }
  }
}

/** @returns how often each content was stored */
async function play(seed: number): Promise<readonly number[]> {
  const random = createRandom(seed)
  // So many entries make the log shorter.
  Object.assign(contentsForm, { compactFrom: oneOf(random, [8, 12, 600]) })
  const losesMemory = random() < 0.5
  const fleet = await createFleet()
  const { nap, pass } = createStoryTime()
  const service = new Map<Content, string[]>()
  let over = 0
  for (let runner = 0; runner < RUNNERS; runner += 1) {
    const upload = createUploader({ fleet, nap, random, service, losesMemory })
    void upload().then(() => {
      over += 1
    })
  }
  for (let second = 0; over < RUNNERS && second < 3_000; second += 1) {
    if (losesMemory && random() < 0.01) await fleet.lose()
    await fleet.pass(1_000)
    pass(1_000)
    for (let turn = 0; turn < 3; turn += 1) await fleet.settled()
  }
  expect(over).toBe(RUNNERS)
  return contents.map((content) => service.get(content)?.length ?? 0)
}

const seeds = Array.from({ length: 60 }, (_, index) => sampleSeed + index)

test.each(sample(seeds, 6))(
  'four runners with the same files store each once, though they sleep, miss answers and lose their Redis (story %i)',
  takesLong(60, 'it plays many minutes against a real Redis'),
  async (seed) => expect(await play(seed)).toEqual(contents.map(() => 1)),
)
