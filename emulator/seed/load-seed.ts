import { dirname, resolve } from 'node:path'
import { readGivenFile } from '../given-file.ts'
import { reasonOf } from '../unreadable.ts'
import { problemOf } from '../values/schema-check.ts'
import { seedSchema } from './schema.ts'
import type { Seed } from './seed.ts'
import { SeedError } from './seed-error.ts'

/** A seed that is as its schema has it, and where it came from. */
export interface LoadedSeed {
  readonly seed: Seed
  /** What it is called in messages. */
  readonly name: string
  /** What the paths in it are relative to. */
  readonly folder: string
}

/** A million uploads and their titles. */
const mostSeedBytes = 268_435_456

/** For an emulator that was given none. */
export const emptySeed: LoadedSeed = { seed: {}, name: 'The seed', folder: '.' }

/**
 * @param given a seed, or the path of a file that has one as JSON
 * @throws SeedError where the file cannot be read, or naming the place in the seed and what belongs there
 */
export async function loadSeed(given: Seed | string): Promise<LoadedSeed> {
  const loaded =
    typeof given === 'string'
      ? { seed: await readSeed(given), name: given, folder: dirname(resolve(given)) }
      : { seed: given, name: 'The seed', folder: process.cwd() }
  const problem = problemOf(seedSchema, loaded.seed)
  if (problem !== undefined) throw seedError(loaded, problem.at, problem.message)
  return loaded
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
    // Some editors begin a file with a byte order mark, which is no JSON.
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    // The parser quotes the place, line ends and all.
    throw new SeedError(`The seed ${path} is no JSON: ${reasonOf(cause).replaceAll(/\s+/g, ' ')}`, { cause })
  }
}
