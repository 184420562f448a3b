import { closeSync, openSync } from 'node:fs'
import { Writable } from 'node:stream'
import { ReadStream, WriteStream } from 'node:tty'
import { CliError } from '../../failures/cli-error.ts'

interface PromptOptions {
  readonly streams: { readonly stdin: NodeJS.ReadStream; readonly stderr: NodeJS.WriteStream } | undefined
  /** Why prompting is impossible, such as `there is no terminal`; undefined if it is possible. */
  readonly impossible: string | undefined
  /** Aborts when the run is stopped; an open question then rejects with its reason. */
  readonly stopping: AbortSignal
  /** Called on Ctrl-C, which arrives as a character while a question is open; it must abort {@link stopping}. */
  readonly onInterrupt: () => void
}

/** Asks questions on the terminal. All methods fail if prompting is impossible or the run is stopped. */
export function createPrompt(options: PromptOptions) {
  const ask = (question: string) => askLine(question, false, options)
  return {
    /** @throws CliError of code `prompt-needed`, with `instead` as hint, if prompting is impossible */
    assertPossible(what: string, instead: string): void {
      if (options.impossible === undefined) return
      throw new CliError('prompt-needed', `Cannot ask ${what}: ${options.impossible}`, { hint: instead })
    },
    ask,
    askHidden: (question: string) => askLine(question, true, options),
    isPossible: options.impossible === undefined,
    /** @returns whether the answer is `y` or `yes`; `byDefault` for Enter alone */
    async confirm(question: string, byDefault = false) {
      const answer = (await ask(question)).trim()
      return answer === '' ? byDefault : /^y(es)?$/i.test(answer)
    },
  }
}

async function askLine(question: string, isHidden: boolean, options: PromptOptions): Promise<string> {
  const { createInterface } = await import('node:readline/promises')
  const { stopping, onInterrupt } = options
  stopping.throwIfAborted()
  // Opened for one question: until then another program may use it.
  const opened = options.streams === undefined ? openTerminal() : undefined
  const { stdin, stderr } = opened ?? options.streams ?? process
  // Made before the question is printed, so that even the first characters are not echoed.
  const shown = isHidden ? { output: new Writable({ write: (_text, _encoding, done) => done() }), terminal: true } : {}
  const lines = createInterface({ input: stdin, output: stderr, historySize: 0, ...shown })
  const ended = new AbortController()
  lines.on('SIGINT', onInterrupt)
  lines.on('close', () => ended.abort())
  // readline rewrites its whole prompt on every edit, so it gets only the last line of the question.
  const last = isHidden ? question.length : question.lastIndexOf('\n') + 1
  stderr.write(question.slice(0, last))
  try {
    const answer = await lines.question(question.slice(last), { signal: AbortSignal.any([stopping, ended.signal]) })
    if (isHidden) stderr.write('\n')
    return answer
  } catch (error) {
    // Ends the line of the question.
    stderr.write('\n')
    throw stopping.aborted ? stopping.reason : error
  } finally {
    lines.close()
    opened?.stdin.destroy()
    opened?.stderr.destroy()
  }
}

/** The terminal that controls this process, whatever its streams are. */
const place = '/dev/tty'

export function hasControllingTerminal(): boolean {
  try {
    closeSync(openSync(place, 'r+'))
    return true
  } catch {
    return false
  }
}

function openTerminal() {
  return { stdin: new ReadStream(openSync(place, 'r')), stderr: new WriteStream(openSync(place, 'w')) }
}
