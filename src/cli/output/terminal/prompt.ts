import { closeSync, openSync } from 'node:fs'
import { ReadStream, WriteStream } from 'node:tty'
import { CliError } from '../../failures/cli-error.ts'

interface PromptOptions {
  readonly stdin: NodeJS.ReadStream
  readonly stderr: NodeJS.WriteStream
  /** Why prompting is impossible, such as `standard input is not a terminal`; undefined if it is possible. */
  readonly impossible: string | undefined
  /** Aborts when the run is stopped; an open question then rejects with its reason. */
  readonly stopping: AbortSignal
  /** Called on Ctrl-C, which arrives as a character while a question is open; it must abort {@link stopping}. */
  readonly onInterrupt: () => void
}

/** Asks questions on the terminal, through stderr. All methods fail if prompting is impossible or the run is stopped. */
export function createPrompt(options: PromptOptions) {
  const ask = (question: string) => askVisible(question, options)
  return {
    /** @throws CliError of code `prompt-needed`, with `instead` as hint, if prompting is impossible */
    assertPossible: (what: string, instead: string) => assertPossible(options, what, instead),
    ask,
    /** Like {@link ask}, without showing what is typed. */
    askHidden: (question: string) => askHidden(question, options),
    /** True only for `y` or `yes`. */
    confirm: async (question: string) => /^\s*y(es)?\s*$/i.test(await ask(question)),
  }
}

export type Confirming = Pick<ReturnType<typeof createPrompt>, 'assertPossible' | 'confirm'>

/** @throws CliError of code `prompt-needed` */
function assertPossible({ impossible }: Pick<PromptOptions, 'impossible'>, what: string, hint: string): void {
  if (impossible !== undefined) throw new CliError('prompt-needed', `Cannot ask ${what}: ${impossible}`, { hint })
}

async function askVisible(question: string, { stdin, stderr, stopping, onInterrupt }: PromptOptions): Promise<string> {
  const { createInterface } = await import('node:readline')
  stopping.throwIfAborted()
  // readline rewrites its whole prompt on every edit, so it gets only the last line of the question.
  const at = question.lastIndexOf('\n') + 1
  stderr.write(question.slice(0, at))
  const lines = createInterface({ input: stdin, output: stderr })
  const close = () => lines.close()
  return new Promise<string>((resolve, reject) => {
    let answered = false
    lines.on('SIGINT', onInterrupt)
    lines.on('close', () => {
      if (answered) return
      // Ends the line of the question.
      stderr.write('\n')
      reject(stopping.aborted ? stopping.reason : abandoned())
    })
    stopping.addEventListener('abort', close)
    lines.question(question.slice(at), (answer) => {
      answered = true
      lines.close()
      resolve(answer)
    })
  }).finally(() => stopping.removeEventListener('abort', close))
}

const INTERRUPT = '\u0003'
const END_OF_TRANSMISSION = '\u0004'
const ERASE_LINE = '\u0015'
/** The sequences that arrow and function keys send, and terminals around a pasted text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const escapeSequence = /\u001b(\[[\d;]*[A-Za-z~]|O.)?/g
/** One whose rest has not arrived yet. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const brokenSequence = /\u001b(\[[\d;]{0,16}|O)?$/

async function askHidden(question: string, { stdin, stderr, stopping, onInterrupt }: PromptOptions): Promise<string> {
  stopping.throwIfAborted()
  // Before the question is printed, so that even the first characters are not echoed.
  stdin.setRawMode(true)
  stderr.write(question)
  stdin.setEncoding('utf8')
  stdin.resume()
  return new Promise((resolve, reject) => {
    let typed = ''
    let pending = ''
    const finish = (settle: () => void) => {
      stopping.removeEventListener('abort', onStop)
      stdin.off('data', onData).off('end', onEnd).pause()
      stdin.setRawMode(false)
      stderr.write('\n')
      settle()
    }
    const onStop = () => finish(() => reject(stopping.reason))
    const onEnd = () => finish(() => reject(abandoned()))
    const onData = (chunk: string) => {
      if (chunk.includes(INTERRUPT)) return onInterrupt()
      const text = pending + chunk
      pending = brokenSequence.exec(text)?.[0] ?? ''
      // Pasted text arrives as one chunk, including its line breaks; the first may stand before the text.
      const lines = text
        .slice(0, text.length - pending.length)
        .replaceAll(END_OF_TRANSMISSION, '\n')
        .split(/[\r\n]/)
      const line = typed === '' ? lines.findIndex((part) => edited('', part) !== '') : 0
      typed = edited(typed, lines[Math.max(line, 0)] ?? '')
      if (lines.length === 1 || line === lines.length - 1) return
      const isAbandoned = typed === '' && text.includes(END_OF_TRANSMISSION)
      finish(() => (isAbandoned ? reject(abandoned()) : resolve(typed)))
    }
    stopping.addEventListener('abort', onStop)
    stdin.on('data', onData).on('end', onEnd)
  })
}

function edited(typed: string, line: string): string {
  let text = typed
  for (const character of line.replace(escapeSequence, '')) {
    if (character === '\u007f' || character === '\b') text = text.slice(0, -1)
    else if (character === ERASE_LINE) text = ''
    else if (character >= ' ') text += character
  }
  return text
}

function abandoned(): DOMException {
  return new DOMException('The question was not answered', 'AbortError')
}

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
export function createTerminalPrompt(options: Omit<PromptOptions, 'stdin' | 'stderr'>): Confirming {
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
