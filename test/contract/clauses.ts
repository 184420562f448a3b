import { expect, test } from 'vitest'

/** How a dialect departs from what a test expects. */
export interface Departure {
  /** The setting it comes from. */
  readonly because: string
  /** What is seen instead. */
  readonly sees: unknown
}

/** By the title of the test. */
export type Departures = Readonly<Record<string, Departure>>

/** Registers the tests of one target; a title begins with the clause, such as `spec 8.3`, or the silence it holds. */
export interface Clauses {
  /** Every title so far, in order. */
  readonly titles: readonly string[]
  /** Something that holds in every dialect. */
  clause(title: string, body: () => Promise<void>): void
  /**
   * Something that is seen and compared with what it should be.
   * @param sees in the spec's words or by default; a dialect that departs from it names what it has instead
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
