import { expect, test } from 'vitest'
import { isOnNetwork } from '../../src/store/network-folder.ts'

test.each([
  ['NFS', 0x6969, true],
  ['CIFS, as a signed number', 0xff534d42 | 0, true],
  ['ext4', 0xef53, false],
  ['tmpfs', 0x01021994, false],
])('%s: a disk of another machine: %s', (_, type, expected) => {
  expect(isOnNetwork('/folder', () => ({ type }))).toBe(expected)
})

test('what the system does not tell is no network disk', () => {
  const none = () => {
    throw new Error('ENOSYS')
  }
  expect(isOnNetwork('/folder', none)).toBe(false)
})
