/** Which part of the cases of a `*.sampled.test.ts` a run takes: `npm test` a sample, `npm run test:all` the rest. */
export const isRest = process.env['FH_TEST_PART'] === 'rest'

/** The seed of all samples: see test/sampling/seed.ts. */
export const sampleSeed = Number(process.env['FH_TEST_SEED'] ?? 0)

/**
 * Some of the cases, in their order, chosen by the seed; in `npm run test:all` all others. So the two together try
 * each case once.
 *
 * @param count how many belong to the sample; fewer than there are
 */
export function sample<T>(cases: readonly T[], count: number, seed = sampleSeed, rest = isRest): readonly T[] {
  if (count >= cases.length) throw new Error(`A sample of ${count} leaves nothing of ${cases.length} cases`)
  const next = numbers(seed)
  const places = cases.map((_, index) => ({ index, place: next() })).sort((a, b) => a.place - b.place)
  const chosen = new Set(places.slice(0, count).map(({ index }) => index))
  return cases.filter((_, index) => chosen.has(index) !== rest)
}

/**
 * Options of a fast-check property: how many cases it tries, and from which seed. RUNS and SEED, by hand, go first.
 *
 * @param all cases in both parts together
 * @param count cases in the sample
 */
export function sampledRuns(all: number, count: number, seed = sampleSeed) {
  const { RUNS: runs, SEED: byHand } = process.env
  // Other cases than those of the sample: fast-check draws them from another seed.
  const drawn = isRest ? { seed: seed + 1, numRuns: all - count } : { seed, numRuns: count }
  return {
    seed: byHand === undefined ? drawn.seed : Number(byHand),
    numRuns: runs === undefined ? drawn.numRuns : Number(runs),
  }
}

/** Numbers from 0 to 1 (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
