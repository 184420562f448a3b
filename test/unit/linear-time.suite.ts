import { expect, test } from 'vitest'
import { processorMs } from '../helpers/processor-time.ts'

/** Texts that have slowed parsers down: characters with a meaning, and beginnings without an end. */
const patterns = [
  ...'/\\.,;:=&?#@%"\'`<>()[]{}*+-_|~!^$ \t\n\r\0\u001b\u0085\u00a0\u202e09aeT\u00b5\u00ff\u00e9\u0301😀',
  '//',
  'a/',
  '/i/',
  '\r\n',
  '\u001b]',
  '\u001b[',
  '\u001b[1;',
  '\u009b',
  '[a\\',
  'a\\',
  '0.',
  '1:',
  '1,',
  ', ',
  '://',
  'T00:00:00',
  'W/"',
  '%2',
  '%e2',
  '<!--',
  '<?xml ',
  'api_key=',
  'Mon, ',
  '.part',
  '@(',
  '**/',
  '{a,',
  '=(',
]

type HostileText = { readonly pattern: string; readonly end: string }

const texts: readonly HostileText[] = patterns.flatMap((pattern) => ['', 'x'].map((end) => ({ pattern, end })))
/** How many texts each reader reads in a sample; with other texts for each, all readers together read them all. */
export const sampledTexts = 24

const smallLength = 8_192
const timesAsLong = 8
/** Eight times the text takes 8 times as long in linear time, 64 times in quadratic time. */
const mostTimes = 28
/** Below this, the time says nothing. */
const leastMs = 60

/**
 * Tests functions that read texts from outside.
 *
 * @param drawn the texts for one of the functions, which has this place among them
 */
export function readInLinearTime(
  readers: Readonly<Record<string, (text: string) => unknown>>,
  drawn: (texts: readonly HostileText[], at: number) => readonly HostileText[],
): void {
  const cases = Object.entries(readers).map(([name, read], at) => ({ name, read, at }))

  test.each(cases)('$name: 64 KB of any repeated pattern are read in linear time', async ({ read, at }) => {
    for (const { pattern, end } of drawn(texts, at)) {
      const costOf = (length: number) =>
        processorMs(() => attempted(read, pattern.repeat(length / pattern.length) + end))
      const large = await costOf(smallLength * timesAsLong)
      if (large < leastMs) continue
      const small = Math.max(await costOf(smallLength), 0.5)
      const again = Math.min(large, await costOf(smallLength * timesAsLong))
      if (again < leastMs) continue
      expect(again / small, `${JSON.stringify(pattern)}: ${small} ms, then ${again} ms`).toBeLessThan(mostTimes)
    }
  })
}

/** Reads a text; refusing it is fine too. */
export async function attempted(read: (text: string) => unknown, text: string): Promise<void> {
  try {
    await read(text)
  } catch {
    // Refused.
  }
}
