import { closeSync, openSync } from 'node:fs'
import { ReadStream, WriteStream } from 'node:tty'
import { assertPossible, type Confirming, createPrompt, type PromptOptions, type PromptStreams } from './prompt.ts'

/** The terminal that controls this process, whatever its streams are. */
const place = '/dev/tty'

/** Whether there is such a terminal. */
export function hasControllingTerminal(): boolean {
  try {
    closeSync(openSync(place, 'r+'))
    return true
  } catch {
    return false
  }
}

/** Asks at the controlling terminal. Opens it only for a question: until then another program may use it. */
export function createTerminalPrompt(options: Omit<PromptOptions, keyof PromptStreams>): Confirming {
  return {
    assertPossible: (what, instead) => assertPossible(options, what, instead),
    async confirm(question) {
      const stdin = new ReadStream(openSync(place, 'r'))
      const stderr = new WriteStream(openSync(place, 'w'))
      try {
        return await createPrompt({ ...options, stdin, stderr }).confirm(question)
      } finally {
        stdin.destroy()
        stderr.destroy()
      }
    },
  }
}
