import { expect, test } from 'vitest'
import { type Emulator, type FaultMatch, type GivenFault, MissingRecordError } from '../../../../emulator/index.ts'
import { callControl } from '../control/control-call.ts'
import { emulated, send } from '../emulated.ts'

const failing: GivenFault = { action: { type: 'status', status: 500 } }

function ids({ control }: Emulator): readonly number[] {
  return control.faults.list().map(({ id }) => id)
}

test('a fault is added behind the others and taken away by its id, over HTTP as by the typed calls', async () => {
  const emulator = await emulated()
  const { faults } = emulator.control
  faults.set([{ ...failing, times: null }])
  const added = await callControl(emulator, 'POST', '/faults', { match: { path: '/api/stats' }, ...failing })
  expect(added).toMatchObject({ status: 201, body: { id: 2, match: { path: '/api/stats' }, seen: 0, struck: 0 } })
  expect(faults.add(failing)).toEqual({ id: 3, match: {}, times: 1, ...failing, seen: 0, struck: 0 })
  expect(ids(emulator)).toEqual([1, 2, 3])
  expect(await callControl(emulator, 'DELETE', '/faults/2')).toMatchObject({ status: 200, body: { deleted: true } })
  expect(faults.remove(1)).toEqual({ deleted: true })
  expect(ids(emulator)).toEqual([3])
  expect((await send(emulator, 'GET', '/api/stats')).status).toBe(500)
  expect((await send(emulator, 'GET', '/api/stats')).status).toBe(200)
})

test('each request meets the first of the faults that match it, from the nth time on, as often as `times`', async () => {
  const emulator = await emulated()
  const fault = (status: number, match: FaultMatch, times?: number | null): GivenFault => ({
    match,
    action: { type: 'status', status },
    ...(times !== undefined && { times }),
  })
  emulator.control.faults.set([
    fault(501, { method: 'delete', account_id: 1 }, null),
    fault(502, { path: '/api/uploads*', nth: 2 }, 2),
    fault(503, { path: '/api/uploads', account_id: 1 }),
    fault(504, { path: '*', nth: 6 }),
    fault(505, { account_id: 2 }),
  ])
  const asked = ['GET /api/uploads', 'GET /api/uploads/a', 'DELETE /api/uploads/a', 'GET /api/uploads/a']
  const answers: number[] = []
  for (const line of [...asked, 'DELETE /api/uploads/a', 'GET /api/uploads', 'GET /api/uploads']) {
    const [method = '', path = ''] = line.split(' ')
    answers.push((await send(emulator, method, path)).status)
  }
  expect(answers).toEqual([503, 502, 501, 502, 501, 504, 200])
  const counts = emulator.control.faults.list().map(({ seen, struck }) => [seen, struck])
  expect(counts).toEqual([
    [2, 2],
    [7, 2],
    [3, 1],
    [7, 1],
    [0, 0],
  ])
})

test('a fault that is not there cannot be removed: 404 over HTTP, a MissingRecordError from the typed call', async () => {
  const emulator = await emulated()
  const { faults } = emulator.control
  const { id } = faults.add(failing)
  faults.remove(id)
  for (const path of ['/faults/1', '/faults/0', '/faults/types', '/faults/1e0', '/faults/-1', `/faults/${2 ** 60}`]) {
    const { status, body } = await callControl(emulator, 'DELETE', path)
    expect([status, body.error.code]).toEqual([404, 'no-such-fault'])
  }
  expect(() => faults.remove(id)).toThrow(MissingRecordError)
  expect(() => faults.remove(id)).toThrow('There is no fault 1')
})

test('no id is given twice, neither after a removal nor a replacement, a reset or an older state', async () => {
  const emulator = await emulated()
  const { faults, state } = emulator.control
  faults.remove(faults.add(failing).id)
  expect(faults.set([failing, failing]).map(({ id }) => id)).toEqual([2, 3])
  const older = await state.get()
  faults.clear()
  expect(faults.add(failing).id).toBe(4)
  await emulator.control.reset()
  expect(faults.add(failing).id).toBe(5)
  await state.restore(older)
  expect(ids(emulator)).toEqual([2, 3])
  expect(faults.add(failing).id).toBe(6)
})
