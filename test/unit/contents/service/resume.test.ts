import { expect, test } from 'vitest'
import { createReconciler } from '../../../../src/contents/service/resume.ts'
import type { ReconcileOptions } from '../../../../src/index.ts'
import { deferred } from '../../../helpers/deferred.ts'

const entry = { intent: { id: 'run-1', path: '-photo.jpg', size: 5, sha256: 'abc', mime_type: 'image/jpeg' } }
type Tools = Parameters<typeof createReconciler>[0]

test('an upload that another run has settled meanwhile is not unknown', async () => {
  const context = { note() {}, interruption: { stopping: new AbortController().signal } }
  const settling = (told: { readonly type: 'not-stored' } | undefined) => {
    const journal = { unsettled: () => [], latest: () => ({ outcomeOf: () => told }) }
    return createReconciler({ journal, context } as unknown as Tools).settle(entry as never, undefined)
  }
  await expect(settling({ type: 'not-stored' })).resolves.toBeUndefined()
  await expect(settling(undefined)).rejects.toThrow('An earlier run may have stored it')
})

test('a file waits while an upload of its size is looked for a second time, and a file of another size does not', async () => {
  const second = deferred()
  const { signal } = new AbortController()
  const tools = {
    journal: { unsettled: () => [entry], intentOf: () => ({}), settle() {} },
    client: {
      async reconcile(_: unknown, { onWaiting }: ReconcileOptions) {
        onWaiting?.(5_000)
        await second.promise
        return [{ type: 'not-stored' }]
      },
    },
    context: { note() {}, interruption: { stopping: signal } },
  }
  const reconciler = createReconciler(tools as unknown as Tools)
  await reconciler.earlier([5])
  expect([5, 6, undefined].map(reconciler.isHeld)).toEqual([true, false, false])
  const order: string[] = []
  const same = reconciler.released(5, signal).then(() => order.push('the same size'))
  await reconciler.released(6, signal)
  await new Promise((resolve) => setImmediate(resolve))
  order.push('another size')
  second.resolve()
  await same
  expect(order).toEqual(['another size', 'the same size'])
  expect(reconciler.isHeld(5)).toBe(false)
})
