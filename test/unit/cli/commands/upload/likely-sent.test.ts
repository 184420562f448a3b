import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { likelySent } from '../../../../../src/cli/commands/upload/resume.ts'
import type { Journal } from '../../../../../src/cli/journal/journal.ts'
import { SourceError } from '../../../../../src/index.ts'
import { uploadObject } from '../../../../helpers/media.ts'

const items = [
  { file: 'done.jpg' },
  { file: 'new.jpg' },
  { file: 'gone.jpg', problem: new SourceError('missing', 'x') },
]
const intent = { run: 'r', id: 'i', account: 'a', path: resolve('done.jpg'), size: 1, sha256: '', at: 0 }
const entry = { intent, upload: uploadObject, run: 'r' } as unknown as ReturnType<Journal['stored']>[number]
const journal = { stored: (path: string) => (path === intent.path ? [entry] : []) } as unknown as Journal

test('what an earlier run has stored and what is refused here is not foreseen to be sent', () => {
  expect(likelySent(items, journal, { force: false })).toEqual(new Set([1]))
})

test('with --force what an earlier run has stored is foreseen to be sent again', () => {
  expect(likelySent(items, journal, { force: true })).toEqual(new Set([0, 1]))
})
