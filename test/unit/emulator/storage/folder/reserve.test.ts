import { readdirSync, rmSync, type statfsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createReserve } from '../../../../../emulator/storage/folder/reserve.ts'
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts'

const disk = vi.hoisted(() => ({ freeBytes: 1e12 }))

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>()
  return { ...real, statfsSync: () => ({ bavail: disk.freeBytes, bsize: 1 }) as ReturnType<typeof statfsSync> }
})

test('the reserved space is lent only while the disk has no more than it left, and is reserved again after that; a removed folder has none', () => {
  const folder = temporaryFolder()
  const reserve = createReserve(join(folder, 'reserve'))
  const lent = (freeBytes: number) => {
    disk.freeBytes = freeBytes
    expect(reserve.ensure()).toBe(true)
    reserve.lend()
    return [readdirSync(folder).length === 0, reserve.isLow()]
  }
  expect([1e12, 2e6, 1e6, 0, 1e12].map(lent)).toEqual([
    [false, false],
    [false, true],
    [true, true],
    [true, true],
    [false, false],
  ])
  rmSync(folder, { recursive: true })
  reserve.lend()
  expect([reserve.ensure(), reserve.isGone(), reserve.isLow()]).toEqual([false, true, true])
})
