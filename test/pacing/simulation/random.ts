/** The next number of a sequence, in [0, 1). */
export type Random = () => number

/** A sequence that depends on the seed alone (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}

/** @param range of lowest and highest */
export function between(random: Random, [low, high]: readonly [number, number]): number {
  return low + random() * (high - low)
}

export function oneOf<Item>(random: Random, items: readonly [Item, ...Item[]]): Item {
  return items[Math.floor(random() * items.length)] ?? items[0]
}
