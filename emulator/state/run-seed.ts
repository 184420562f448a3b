import type { RandomSeed } from '../service/inventions.ts'
import type { KeyValueRecords } from '../storage/record-store.ts'

/**
 * The seed of this run. Each run of a data folder has another, because it must not make up again what an earlier run did;
 * the first has that of an emulator without a folder.
 */
export function seedOfRun(seed: RandomSeed | undefined, notes: KeyValueRecords): string | undefined {
  if (seed === undefined) return undefined
  const { runs = 0 }: { readonly runs?: number } = Object(notes.get('random_seed'))
  notes.set('random_seed', { runs: runs + 1 })
  return runs === 0 ? `${seed}` : `${seed} ${runs}`
}
