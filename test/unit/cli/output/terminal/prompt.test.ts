import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createPrompt } from '../../../../../src/cli/output/terminal/prompt.ts'
import { until } from '../../../../helpers/until.ts'

/** A terminal to type on; `shown` is what stands on it. */
function terminal(impossible?: string) {
  const raw: boolean[] = []
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (mode: boolean) => raw.push(mode) })
  const stderr = new PassThrough().setEncoding('utf8')
  let interrupts = 0
  const stop = new AbortController()
  const prompt = createPrompt({
    stdin: stdin as unknown as NodeJS.ReadStream,
    stderr: stderr as unknown as NodeJS.WriteStream,
    impossible,
    stopping: stop.signal,
    onInterrupt: () => {
      interrupts += 1
      stop.abort()
    },
  })
  return {
    prompt,
    raw,
    stop,
    type: (text: string) => stdin.write(text),
    end: () => stdin.end(),
    shown: () => stderr.read(),
    interrupts: () => interrupts,
  }
}

test('a hidden answer is not shown, and the terminal is as it was afterwards', async () => {
  const { prompt, raw, type, shown } = terminal()
  const answer = prompt.askHidden('Key: ')
  type('secret')
  type('\r')
  expect(await answer).toBe('secret')
  expect(shown()).toBe('Key: \n')
  expect(raw).toEqual([true, false])
})

test.each([
  ['a paste with its line break', ['secret\n'], 'secret'],
  ['backspaces', ['secrex\u007ft\r'], 'secret'],
  ['a line that is begun anew', ['wrong\u0015secret\r'], 'secret'],
  ['arrow and function keys', ['sec\u001b[Aret\u001bOP\u001b[15~\r'], 'secret'],
  ['stray control characters', ['sec\u0000ret\r'], 'secret'],
  ['Ctrl-D', ['secret', '\u0004'], 'secret'],
  ['nothing', ['\r'], ''],
])('a hidden answer may be typed with %s', async (_, keys, text) => {
  const { prompt, type } = terminal()
  const answer = prompt.askHidden('Key: ')
  for (const key of keys) type(key)
  expect(await answer).toBe(text)
})

test('Ctrl-C at a hidden question counts as a signal, and gives the terminal back', async () => {
  const { prompt, raw, type, interrupts } = terminal()
  const answer = prompt.askHidden('Key: ')
  type('sec\u0003')
  await expect(answer).rejects.toMatchObject({ name: 'AbortError' })
  expect(interrupts()).toBe(1)
  expect(raw).toEqual([true, false])
})

test('a stop ends a hidden question with its reason, and gives the terminal back', async () => {
  const { prompt, raw, stop, shown } = terminal()
  const answer = prompt.askHidden('Key: ')
  stop.abort(new Error('stopped'))
  await expect(answer).rejects.toThrow('stopped')
  expect(raw).toEqual([true, false])
  expect(shown()).toBe('Key: \n')
})

test('a stop ends a question with its reason, on a line of its own', async () => {
  const { prompt, stop, shown } = terminal()
  const answer = prompt.confirm('Sure? ')
  await until(() => shown() === 'Sure? ')
  stop.abort(new Error('stopped'))
  await expect(answer).rejects.toThrow('stopped')
  expect(shown()).toBe('\n')
})

test('after a stop nothing is asked', async () => {
  const { prompt, raw, stop, shown } = terminal()
  stop.abort(new Error('stopped'))
  await expect(prompt.ask('Sure? ')).rejects.toThrow('stopped')
  await expect(prompt.askHidden('Key: ')).rejects.toThrow('stopped')
  expect([shown(), raw]).toEqual([null, []])
})

test('an input that ends leaves the question unanswered, on a line of its own', async () => {
  const { prompt, end, shown } = terminal()
  const answer = prompt.ask('Name: ')
  end()
  await expect(answer).rejects.toMatchObject({ name: 'AbortError' })
  expect(shown()).toBe('Name: \n')
})

test.each([
  ['y', true],
  ['Yes', true],
  ['', false],
  ['n', false],
  ['yep', false],
])('the answer %j confirms: %s', async (text, confirmed) => {
  const { prompt, type } = terminal()
  const answer = prompt.confirm('Sure? [y/N] ')
  type(`${text}\n`)
  expect(await answer).toBe(confirmed)
})

test('where nobody can be asked, the error says why and what to do instead', () => {
  const { prompt } = terminal('standard input is not a terminal')
  expect(() => prompt.assertPossible('for the key', 'Use --with-key')).toThrow(
    expect.objectContaining({
      code: 'prompt-needed',
      message: 'Cannot ask for the key: standard input is not a terminal',
      hint: 'Use --with-key',
    }),
  )
  expect(() => terminal().prompt.assertPossible('', '')).not.toThrow()
})
