import { type Age, isOlder } from '../record-store.ts'
/** Uploads between two marks. */
export const markDistance = 1_000

/** The uploads from one mark to the next. */
interface Stretch {
  readonly from: Age
  count: number
}

const beforeAll: Age = { createdAt: -8.64e15, id: 0 }

/**
 * @param ages of the oldest of so many uploads and of every {@link markDistance}-th after it
 * @param newest undefined if there are no uploads
 */
export function createUploadMarks(total: number, ages: readonly Age[], newest: Age = beforeAll) {
  const first: Stretch = { from: beforeAll, count: Math.min(total, markDistance) }
  const stretches = [first]
  for (const from of ages.slice(1)) {
    stretches.push({ from, count: Math.min(total - stretches.length * markDistance, markDistance) })
  }
  let newestSoFar = newest
  let longest = markDistance

  const stretchOf = (age: Age): Stretch => {
    let low = 0
    let high = stretches.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (isOlder(age, stretches[middle]?.from ?? beforeAll)) high = middle - 1
      else low = middle
    }
    return stretches[low] ?? first
  }

  return {
    /**
     * @param rank counts from 0, the oldest
     * @returns the mark before the upload, and how many uploads to skip from there
     */
    find(rank: number): { readonly from: Age; readonly skip: number } {
      let skip = rank
      for (const { from, count } of stretches) {
        if (skip < count) return { from, skip }
        skip -= count
      }
      return { from: stretches.at(-1)?.from ?? beforeAll, skip: rank }
    },
    added(upload: Age) {
      const isNewest = isOlder(newestSoFar, upload)
      if (isNewest) newestSoFar = upload
      const stretch = stretchOf(upload)
      // Nearly every upload is its account's newest, and adding a mark at the end is free.
      if (isNewest && stretch.count >= markDistance) stretches.push({ from: upload, count: 1 })
      else stretch.count += 1
      longest = Math.max(longest, stretch.count)
    },
    removed(upload: Age) {
      stretchOf(upload).count -= 1
    },
    /** Whether uploads added in one place have made the marks too sparse. */
    isWorn: () => longest > 4 * markDistance,
  }
}

/** Finds an account's n-th oldest upload without counting from the first: it has a mark at about every thousandth. */
export type UploadMarks = ReturnType<typeof createUploadMarks>
