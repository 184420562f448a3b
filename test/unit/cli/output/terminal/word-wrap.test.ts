import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wrapWords } from '../../../../../src/cli/output/terminal/word-wrap.ts'

const wrapped = (line: string, width: number, whole?: string) => wrapWords(line, width, whole).split('\n')

test('a message is broken at words, with the indentation of its start', () => {
  expect(wrapped('Waiting 42 s for the minute quota, until 12:00:42', 30)).toEqual([
    'Waiting 42 s for the minute',
    'quota, until 12:00:42',
  ])
  expect(wrapped('  Check the API key: once a new one is generated, the old one is refused', 40)).toEqual([
    '  Check the API key: once a new one is',
    '  generated, the old one is refused',
  ])
})

test.each([
  [
    'fh config set ca_cert FILE',
    'For an authority of your own: --ca-cert FILE, or fh config set ca_cert FILE; else ask',
  ],
  ['--max-file-size SIZE', 'If the service accepts larger files: --max-file-size SIZE, or none'],
  ['https://files.example/a/very/long/address', 'Open https://files.example/a/very/long/address yourself'],
  ['"my own file.txt"', 'The setting called "my own file.txt" is not valid'],
])('%s is not broken at any width', (unit, line) => {
  for (let width = 20; width < line.length; width += 1) {
    expect(wrapped(line, width).some((part) => part.includes(unit))).toBe(true)
  }
})

test('a file name with spaces is not broken, together with what touches it', () => {
  const name = 'holiday/my best photo ever.jpg'
  for (let width = 20; width < 60; width += 1) {
    const lines = wrapped(`failed ${name}: does not exist, or is (as said above) gone`, width, name)
    expect(lines.some((line) => line.includes(`${name}:`))).toBe(true)
  }
})

test('a colour does not count, and a wide character counts twice', () => {
  expect(wrapped('\u001b[31mfh:\u001b[39m 1234567890 12345', 20)).toEqual(['\u001b[31mfh:\u001b[39m 1234567890 12345'])
  expect(wrapped('休日の写真休日 休日の写真休日', 20)).toEqual(['休日の写真休日', '休日の写真休日'])
})

test('no word is lost, and no line is wider than the terminal but for a single unit', () => {
  const words = fc.array(
    fc.constantFrom('fh', 'login', '--retries', 'N', 'SIZE', '"', 'a', 'https://h/i/x', '(b)', '  '),
  )
  fc.assert(
    fc.property(
      words,
      fc.integer({ min: 1, max: 60 }),
      fc.constantFrom('', 'a a', 'fh login'),
      (parts, width, whole) => {
        const line = parts.join(' ')
        expect(wrapWords(line, width, whole).split(/\s+/).join(' ').trim()).toBe(line.split(/\s+/).join(' ').trim())
      },
    ),
  )
})
