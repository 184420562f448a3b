import { expect, test } from 'vitest'
import type { GlobalFlags } from '../../../../src/cli/config/global-flags.ts'
import type { ItemRecord } from '../../../../src/cli/output/events.ts'
import { catalog } from '../../../../src/cli/run/catalog.ts'
import { execute } from '../../../../src/cli/run/execution.ts'
import type { GuardedOutput, OutputEnd } from '../../../../src/cli/run/host.ts'
import { uploadObject } from '../../../helpers/media.ts'

const record: ItemRecord = { subject: { file: 'a.jpg' }, status: 'skipped', upload: uploadObject, error: null }

/** Runs a command of one item. @returns what happened, in order */
async function happenings(flags: GlobalFlags, end?: OutputEnd): Promise<readonly string[]> {
  const { upload: entry } = catalog
  if (entry === undefined) throw new Error('there is no such command')
  const happened: string[] = []
  const listeners: ((end: OutputEnd) => void)[] = []
  const output: GuardedOutput = {
    stdout: (text) => {
      happened.push(text.includes(uploadObject.slug) ? 'printed' : text)
    },
    stderr: () => {},
    onEnd: (listener) => {
      listeners.push(listener)
    },
    flush: async () => {
      happened.push('taken')
      if (end) for (const listener of listeners) listener(end)
      return undefined
    },
  }
  await execute(
    {
      type: 'run',
      name: 'upload',
      entry,
      flags,
      run: async ({ reporter }) => {
        reporter.report({ type: 'item-finished', index: 0, record, link: uploadObject.url })
        return {
          type: 'batch',
          items: [record],
          onPrinted: (isPrinted) => {
            happened.push(isPrinted ? 'ended' : 'not ended')
          },
        }
      },
    },
    process,
    output,
  )
  return happened
}

test.each([
  ['of links', {}],
  ['in one document', { json: true }],
  ['in lines of JSON', { jsonl: true }],
])('a run with an output %s ends after stdout was flushed', async (_, flags) => {
  expect(await happenings({ ...flags, color: 'never' })).toEqual(['printed', 'taken', 'ended'])
})

test('a run whose reader has closed stdout counts as not printed', async () => {
  expect(await happenings({ json: true }, 'output-closed')).toEqual(['printed', 'taken', 'not ended'])
})
