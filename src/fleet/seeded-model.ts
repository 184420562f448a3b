import type { LedgerEntry, QuotaModel } from '../pacing/ledger.ts'

/**
 * A model that begins with the entries of another ledger. A file's lines that are older than the newest of these are
 * counted at their dates: in the order of the file they would look like a clock that was set back.
 *
 * @param seed sorted by date; other entries for the same requests change nothing
 */
export function createSeededModel(create: () => QuotaModel, seed: readonly LedgerEntry[]): QuotaModel {
  const seeded = new Set(seed.map(({ id }) => id))
  const endOfSeed = Math.max(Number.NEGATIVE_INFINITY, ...seed.flatMap((entry) => dateOf(entry) ?? []))
  const early: Dated[] = []
  const later: LedgerEntry[] = []
  const reservedAt = new Map<string, number>()
  let built: QuotaModel | undefined

  function model(): QuotaModel {
    if (built !== undefined) return built
    built = create()
    for (const { entry } of [...datedSeed(seed), ...early].sort((a, b) => a.at - b.at)) built.apply(entry)
    for (const entry of later) built.apply(entry)
    return built
  }

  return {
    apply(entry) {
      if (seeded.has(entry.id)) return
      const at = dateOf(entry) ?? reservedAt.get(entry.id) ?? Number.POSITIVE_INFINITY
      if (entry.type === 'reserve') reservedAt.set(entry.id, at)
      if (at < endOfSeed) {
        early.push({ at, entry })
        built = undefined
      } else {
        later.push(entry)
        built?.apply(entry)
      }
    },
    verdict: (cost, now, ahead) => model().verdict(cost, now, ahead),
    neverFits: (cost) => model().neverFits(cost),
    minute: (now) => model().minute(now),
    windows: (now) => model().windows(now),
  }
}

interface Dated {
  readonly at: number
  readonly entry: LedgerEntry
}

/** An entry without a date counts at that of the one before it. */
function datedSeed(seed: readonly LedgerEntry[]): readonly Dated[] {
  let latest = Number.NEGATIVE_INFINITY
  return seed.map((entry) => {
    latest = dateOf(entry) ?? latest
    return { at: latest, entry }
  })
}

function dateOf(entry: LedgerEntry): number | undefined {
  if (entry.type === 'reserve') return entry.at
  return entry.type === 'settle' && entry.outcome.type !== 'not-sent' ? entry.outcome.at : undefined
}
