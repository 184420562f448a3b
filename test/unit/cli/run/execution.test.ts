import { expect, test } from 'vitest'
import { type GuardedOutput, guardOutput } from '../../../../src/cli/context/host.ts'
import type { ItemRecord } from '../../../../src/cli/output/events.ts'
import { catalog } from '../../../../src/cli/run/catalog.ts'
import { execute } from '../../../../src/cli/run/execution.ts'
import { uploadObject } from '../../../helpers/media.ts'

const record: ItemRecord = { subject: { file: 'a.jpg' }, status: 'skipped', upload: uploadObject, error: null }

test.each([
  ['of links', {}],
  ['in one document', { json: true }],
  ['in lines of JSON', { jsonl: true }],
])('a run with an output %s ends after stdout was flushed', async (_, flags) => {
  const { upload: entry } = catalog
  if (entry === undefined) throw new Error('there is no such command')
  const happened: string[] = []
  const output: GuardedOutput = {
    io: guardOutput(process).io,
    stdout: (text) => void happened.push(text.includes(uploadObject.slug) ? 'printed' : text),
    stderr: () => {},
    onEnd: () => {},
    flush: async () => void happened.push('flushed'),
  }
  const run = async ({ reporter }: Parameters<Parameters<typeof execute>[0]['run']>[0]) => {
    reporter.report({ type: 'item-finished', index: 0, record, link: uploadObject.url })
    return { type: 'batch', items: [record] } as const
  }
  await execute({ type: 'run', name: 'upload', entry, flags: { ...flags, color: 'never' }, run }, process, output)
  expect([...happened, 'ended']).toEqual(['printed', 'flushed', 'ended'])
})
