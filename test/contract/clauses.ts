import { expect } from 'vitest'

/** How a dialect differs from a test's expectation. */
export interface Departure {
  /** The setting that causes it. */
  readonly because: string
  /** What the dialect answers instead. */
  readonly sees: unknown
}

/** By test title. */
export type Departures = Readonly<Record<string, Departure>>

/** A test that is not registered yet. */
export interface ContractCase {
  /** A title begins with its spec clause, such as `spec 8.3`, or its silence. */
  readonly title: string
  /** The title, with the setting by which a dialect departs from it. */
  readonly name: string
  body(): Promise<void>
}

/** Collects the tests of one target. */
export interface Clauses {
  /** All so far, in order. */
  readonly cases: readonly ContractCase[]
  /** A test that holds in every dialect. */
  clause(title: string, body: () => Promise<void>): void
  /**
   * A test that compares an observation with its expected value.
   * @param sees the spec's or default value; a dialect can depart from it
   */
  fact(title: string, sees: unknown, observe: () => Promise<unknown>): void
}

export function createClauses(dialect: string, departures: Departures): Clauses {
  const cases: ContractCase[] = []
  const collect = (title: string, name: string, body: () => Promise<void>) => {
    if (cases.some((other) => other.title === title)) throw new Error(`There are two tests with the title ${title}`)
    cases.push({ title, name, body })
  }
  return {
    cases,
    clause: (title, body) => collect(title, title, body),
    fact(title, sees, observe) {
      const departure = departures[title]
      if (departure === undefined) collect(title, title, async () => expect(await observe()).toEqual(sees))
      else {
        collect(title, `${title} [${dialect} departs: ${departure.because}]`, async () => {
          expect(departure.sees).not.toEqual(sees)
          expect(await observe()).toEqual(departure.sees)
        })
      }
    },
  }
}
