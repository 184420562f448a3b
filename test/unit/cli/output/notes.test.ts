import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { notes } from '../../../../src/cli/output/notes.ts'

const sources = globSync('src/cli/**/*.ts').map((path) => ({ path, text: readFileSync(path, 'utf8') }))

type Notes = typeof notes

/** What a note is told. */
const given: { readonly [Name in keyof Notes]: Notes[Name] extends (...told: infer Told) => string ? Told : [] } = {
  none: ['uploads'],
  noneByName: [],
  pages: [1, 3, 120],
  leftOut: ['2 HEIC pictures', 2],
  linkedFolder: ['in/link'],
  uploadGone: ['a.jpg', 'aB3dE6gH9j'],
  inUse: ['FH_API_KEY', 'the key of profile work'],
  next: [' --profile work'],
  forgetAgain: [],
  waitsFor: ['a.jpg', 'process 77, which sends the same content'],
  checksEarlier: [['a.jpg', 'b.jpg'], 5_000],
  ledgerSilent: ['nothing listens there'],
  ledgerBegun: [30_000],
  stopping: [2, 5_000],
  readerGone: [3],
  again: [],
  copied: [2],
  notDone: ['The links were', 'copied', 'no clipboard found'],
  uncounted: ['Earlier runs', 'cannot read FOLDER: permission denied'],
  unremembered: ['uploads.db', 'permission denied'],
  damaged: ['uploads.db', 'uploads.db.damaged-1', 2],
  networkDisk: ['FOLDER'],
  standstill: ['2026-11-20T12:00:00Z', 'it moves', 'http://127.0.0.1:4884/_emulator'],
  password: ['user@example.com', 'PASSWORD'],
}

test('the notes and warnings of the command line are those of this list, each used, and no more than people read', async () => {
  const lines = Object.entries(given).map(([name, told]) => {
    const uses = sources.filter(({ text }) => new RegExp(`notes\\.${name}\\b`).test(text))
    expect(uses, name).not.toEqual([])
    const note: string | ((...told: readonly unknown[]) => string) = Reflect.get(notes, name)
    return `- ${typeof note === 'string' ? note : note(...told)}\n`
  })
  expect(lines.length).toBeLessThanOrEqual(25)
  await expect(lines.join('')).toMatchFileSnapshot('notes.md')
})

test('no command has a note of its own, but doctor, whose verdicts are its results', () => {
  const own = /\b(?:note|warn)\(\s*(?:\{\s*message: )?[`']|type: 'note', text: [`']/
  const telling = sources.filter(({ path, text }) => own.test(text) && !path.endsWith('/doctor.ts'))
  expect(telling.map(({ path }) => path)).toEqual([])
})
