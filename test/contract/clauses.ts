import { expect, test } from 'vitest'

/** How a dialect differs from a test's expectation. */
export interface Departure {
  /** The setting that causes it. */
  readonly because: string
  /** What the dialect answers instead. */
  readonly sees: unknown
}

/** By test title. */
export type Departures = Readonly<Record<string, Departure>>

/** Registers the tests of one target. A title begins with its spec clause, such as `spec 8.3`, or its silence. */
export interface Clauses {
  /** All titles so far, in order. */
  readonly titles: readonly string[]
  /** A test that holds in every dialect. */
  clause(title: string, body: () => Promise<void>): void
  /**
   * A test that compares an observation with its expected value.
   * @param sees the spec's or default value; a dialect can depart from it
   */
  fact(title: string, sees: unknown, observe: () => Promise<unknown>): void
}

export function createClauses(dialect: string, departures: Departures): Clauses {
  const titles: string[] = []
  const register = (title: string, name: string, body: () => Promise<void>) => {
    if (titles.includes(title)) throw new Error(`There are two tests with the title ${title}`)
    titles.push(title)
    test(name, body)
  }
  return {
    titles,
    clause: (title, body) => register(title, title, body),
    fact(title, sees, observe) {
      const departure = departures[title]
      if (departure === undefined) register(title, title, async () => expect(await observe()).toEqual(sees))
      else {
        register(title, `${title} [${dialect} departs: ${departure.because}]`, async () => {
          expect(departure.sees).not.toEqual(sees)
          expect(await observe()).toEqual(departure.sees)
        })
      }
    },
  }
}
