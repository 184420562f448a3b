import { dirname, resolve } from 'node:path'
import { parseNamedJson } from '../../src/checks/json.ts'
import { Mismatch } from '../../src/checks/values.ts'
import { reasonOf } from '../../src/system/system-errors.ts'
import { readGivenFile } from '../given-file.ts'
import { mismatchWords } from '../values/reading.ts'
import { type Seed, SeedError } from './seed.ts'
import { seedKind } from './seed-schema.ts'

/** A seed that matches its schema, and its source. */
export interface LoadedSeed {
  readonly seed: Seed
  /** What messages call it. */
  readonly name: string
  /** Paths in the seed are relative to this folder. */
  readonly folder: string
}

/** Room for a million uploads with titles. */
const mostSeedBytes = 268_435_456

export const emptySeed: LoadedSeed = { seed: {}, name: 'The seed', folder: '.' }

/**
 * @param given a seed, or the path of a JSON file with one
 * @throws SeedError if the file cannot be read, or naming the place in the seed that is wrong and what belongs there
 */
export async function loadSeed(given: Seed | string): Promise<LoadedSeed> {
  const loaded =
    typeof given === 'string'
      ? { seed: await readSeed(given), name: given, folder: dirname(resolve(given)) }
      : { seed: given, name: 'The seed', folder: process.cwd() }
  const read = seedKind.read(loaded.seed)
  if (read instanceof Mismatch) throw seedError(loaded, pointerTo(read), mismatchWords(read))
  return loaded
}

/** A JSON pointer (RFC 6901). */
function pointerTo({ steps }: Mismatch): string {
  return steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** @param at a JSON pointer */
export function seedError({ name }: Pick<LoadedSeed, 'name'>, at: string, message: string, cause?: unknown): SeedError {
  const place = at === '' ? 'the seed' : at
  return new SeedError(`${name}: ${place} ${message}`, cause === undefined ? undefined : { cause })
}

async function readSeed(path: string): Promise<Seed> {
  let text: string
  try {
    text = await readGivenFile(path, mostSeedBytes)
  } catch (cause) {
    throw new SeedError(`Cannot read the seed ${path}: ${reasonOf(cause)}`, { cause })
  }
  try {
    // Its schema is checked later.
    return parseNamedJson(text) as Seed
  } catch (cause) {
    // The parser quotes the place including line ends.
    throw new SeedError(`The seed ${path} is not JSON: ${reasonOf(cause).replaceAll(/\s+/g, ' ')}`, { cause })
  }
}
