/** Counts by name, printed as a table. */
export type Tally = ReturnType<typeof createTally>

/** @param columns the names that are printed first, and also where they are 0 */
export function createTally(columns: readonly string[]) {
  const counts = new Map<string, number>()
  const startedAt = performance.now()
  const line = (name: string, value: string) => console.log(`  ${name.padEnd(46)} ${value.padStart(9)}`)
  return {
    add: (name: string, by = 1) => void counts.set(name, (counts.get(name) ?? 0) + by),
    has: (names: readonly string[]) => names.some((name) => (counts.get(name) ?? 0) > 0),
    print() {
      counts.set('seconds', Math.round((performance.now() - startedAt) / 1_000))
      const others = [...counts.keys()].filter((key) => !columns.includes(key)).sort()
      for (const name of [...columns, ...others]) line(name, (counts.get(name) ?? 0).toLocaleString('en'))
    },
    printShare(name: string, part: string, whole: string) {
      const share = (100 * (counts.get(part) ?? 0)) / (counts.get(whole) ?? 1)
      line(name, `${share.toFixed(2)} %`)
    },
  }
}
