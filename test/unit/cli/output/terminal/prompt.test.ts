import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createPrompt } from '../../../../../src/cli/output/terminal/prompt.ts'

/** A terminal to type on; `shown` returns its new text. */
function terminal() {
  const raw: boolean[] = []
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (mode: boolean) => raw.push(mode) })
  const stderr = new PassThrough().setEncoding('utf8')
  const stop = new AbortController()
  const run = { stopping: stop.signal, stop: () => stop.abort() }
  const prompt = createPrompt({ stdin: stdin as never, stderr: stderr as never }, undefined, run)
  return {
    prompt,
    raw,
    stop,
    type: (text: string) => stdin.write(text),
    end: () => stdin.end(),
    shown: () => stderr.read(),
  }
}

test.each([
  ['a paste with its line break', ['secret\n'], 'secret'],
  ['backspaces', ['secrex\u007ft\r'], 'secret'],
  ['Ctrl-U', ['wrong\u0015secret\r'], 'secret'],
  ['arrow and function keys', ['sec\u001b[Aret\u001bOP\u001b[15~\r'], 'secret'],
  ['stray control characters', ['sec\u0000ret\r'], 'secret'],
  ['nothing', ['\r'], ''],
  ['the marks of a bracketed paste, one of them in two parts', ['\u001b[2', '00~secret\u001b[201~', '\r'], 'secret'],
  ['Enter and more that was typed ahead', ['secret', '\rmore'], 'secret'],
])('a hidden answer is read if it is typed with %s', async (_, keys, text) => {
  const { prompt, type } = terminal()
  const answer = prompt.askHidden('Key: ')
  for (const key of keys) type(key)
  expect(await answer).toBe(text)
})

test('a stopped run prints no question', async () => {
  const { prompt, raw, stop, shown } = terminal()
  stop.abort(new Error('stopped'))
  await expect(prompt.ask('Sure? ')).rejects.toThrow('stopped')
  await expect(prompt.askHidden('Key: ')).rejects.toThrow('stopped')
  expect([shown(), raw]).toEqual([null, []])
})
