import { closeSync, openSync } from 'node:fs'
import { Writable } from 'node:stream'
import { ReadStream, WriteStream } from 'node:tty'
import { CliError } from '../../failures/cli-error.ts'

/** What stops a run. Ctrl-C arrives as a character while a question is open, which then rejects with the reason of the stop. */
interface Stop {
  readonly stopping: AbortSignal
  stop(cause: 'SIGINT'): void
}

type Streams = { readonly stdin: NodeJS.ReadStream; readonly stderr: NodeJS.WriteStream } | undefined

/** Asks questions on the terminal. @param impossible why that cannot be, such as `there is no terminal` */
export function createPrompt(streams: Streams, impossible: string | undefined, run: Stop) {
  const ask = (question: string) => askLine(question, false, streams, run)
  return {
    /** @throws CliError of code `prompt-needed`, with `instead` as hint, if prompting is impossible */
    assertPossible(what: string, instead: string): void {
      if (impossible === undefined) return
      throw new CliError('prompt-needed', `Cannot ask ${what}: ${impossible}`, { hint: instead })
    },
    ask,
    askHidden: (question: string) => askLine(question, true, streams, run),
    isPossible: impossible === undefined,
    /** @returns whether the answer is `y` or `yes`; `byDefault` for Enter alone */
    async confirm(question: string, byDefault = false) {
      const answer = (await ask(question)).trim()
      return answer === '' ? byDefault : /^y(es)?$/i.test(answer)
    },
  }
}

async function askLine(question: string, isHidden: boolean, streams: Streams, run: Stop): Promise<string> {
  const { createInterface } = await import('node:readline/promises')
  const { stopping } = run
  stopping.throwIfAborted()
  // Opened for one question: until then another program may use it.
  const opened = streams === undefined ? openTerminal() : undefined
  const { stdin, stderr } = opened ?? streams ?? process
  // Made before the question is printed, so that even the first characters are not echoed.
  const shown = isHidden ? { output: new Writable({ write: (_text, _encoding, done) => done() }), terminal: true } : {}
  const lines = createInterface({ input: stdin, output: stderr, historySize: 0, ...shown })
  const ended = new AbortController()
  lines.on('SIGINT', () => run.stop('SIGINT'))
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
