import { type WindowName, windowKinds, windowNames } from '../../../src/protocol/rate-limits.ts'
import { allOf, type ModelKind, type RefusalCharge } from './model.ts'
import { createRandom, oneOf } from './random.ts'
import type { Scenario } from './simulate.ts'

/** Values to combine, each with each; the other properties are the same in all scenarios. */
export interface Combination extends Omit<Scenario, 'seed'> {
  /** The kind of all four windows. Default: the five kinds for which the bars hold. */
  readonly kinds?: readonly ModelKind[]
  /** Default: none is charged. */
  readonly refusalCharges?: readonly RefusalCharge[]
  readonly seeds: readonly number[]
}

export function combined({ kinds = windowKinds, refusalCharges = ['none'], seeds, ...rest }: Combination): Scenario[] {
  return kinds.flatMap((kind) =>
    refusalCharges.flatMap((refusalCharge) =>
      seeds.map((seed) => ({ ...rest, seed, model: { kinds: allOf(kind), refusalCharge, ...rest.model } })),
    ),
  )
}

/** The same, but each seed draws a kind for each window. */
export function mixed({ seeds, ...rest }: Omit<Combination, 'kinds' | 'refusalCharges'>): Scenario[] {
  return seeds.map((seed) => ({ ...rest, seed, model: { kinds: someMix(seed), ...rest.model } }))
}

function someMix(seed: number): Readonly<Record<WindowName, ModelKind>> {
  // Not the sequence that the run itself draws from.
  const random = createRandom(~seed)
  const [burst, minute, hour, day] = windowNames.map(() => oneOf(random, windowKinds))
  return { burst: burst ?? 'fixed', minute: minute ?? 'fixed', hour: hour ?? 'fixed', day: day ?? 'fixed' }
}

/** So many seeds, different for each `first`. */
export function seedsFrom(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => first * 1_000 + index)
}
