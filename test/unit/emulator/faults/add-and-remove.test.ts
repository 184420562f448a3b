import { expect, test } from 'vitest'
import { type Emulator, type GivenFault, MissingRecordError } from '../../../../emulator/index.ts'
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
