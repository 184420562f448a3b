import { type WindowName, windowNames } from '../../../src/protocol/rate-limits.ts'
import { allOf, fiveKinds, type ModelKind, type RefusalCharge } from './model.ts'
import { createRandom, oneOf } from './random.ts'
import type { Scenario } from './simulate.ts'

/** What is to be combined, each with each; whatever else is given stays the same in all of them. */
export interface Combination extends Omit<Scenario, 'seed'> {
  /** Of all four windows; default the five the bars speak of. */
  readonly kinds?: readonly ModelKind[]
  /** Default: refusals are free. */
  readonly refusalCharges?: readonly RefusalCharge[]
  readonly seeds: readonly number[]
}

export function combined({ kinds = fiveKinds, refusalCharges = ['none'], seeds, ...rest }: Combination): Scenario[] {
  return kinds.flatMap((kind) =>
    refusalCharges.flatMap((refusalCharge) =>
      seeds.map((seed) => ({ ...rest, seed, model: { kinds: allOf(kind), refusalCharge, ...rest.model } })),
    ),
  )
}

/** The same with the kind of each window drawn for every seed. */
export function mixed({ seeds, ...rest }: Omit<Combination, 'kinds' | 'refusalCharges'>): Scenario[] {
  return seeds.map((seed) => ({ ...rest, seed, model: { kinds: someMix(seed), ...rest.model } }))
}

function someMix(seed: number): Readonly<Record<WindowName, ModelKind>> {
  // Another sequence than the run itself draws from.
  const random = createRandom(~seed)
  const [burst, minute, hour, day] = windowNames.map(() => oneOf(random, fiveKinds))
  return { burst: burst ?? 'fixed', minute: minute ?? 'fixed', hour: hour ?? 'fixed', day: day ?? 'fixed' }
}

/** So many seeds, other ones for every other number to begin with. */
export function seedsFrom(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => first * 1_000 + index)
}
