import { expect, test } from 'vitest'
import { allowsAddress, plainAddress } from '../../../../emulator/values/ip-allowlist.ts'

test('silence 72: an empty allowlist admits every address', () => {
  expect(allowsAddress([], '203.0.113.5')).toBe(true)
})

test.each<[string, string, boolean]>([
  ['203.0.113.5', '203.0.113.6', false],
  ['203.0.113.5', '::ffff:203.0.113.5', true],
  ['203.0.113.77/24', '203.0.113.1', true],
  ['203.0.113.0/024', '203.0.113.1', true],
  ['203.0.113.0/24.5', '203.0.113.1', true],
  ['203.0.113.0/24', '203.0.114.1', false],
  ['203.0.113.8/31', '203.0.113.9', true],
  ['203.0.113.8/31', '203.0.113.10', false],
  ['203.0.113.5/32', '203.0.113.5', true],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['::/0', '198.51.100.1', false],
  ['2001:DB8:0::1', '2001:db8::1', true],
  ['fe80::1%eth0', 'fe80::1', false],
  ['::FFFF:CB00:7105', '203.0.113.5', true],
  ['0:0:0:0:0:ffff:203.0.113.5', '::ffff:203.0.113.5', true],
  ['::ffff:203.0.113.0/120', '203.0.113.77', true],
  ['::ffff:203.0.113.0/120', '203.0.114.77', false],
  ['::ffff:0:0/96', '198.51.100.1', true],
  ['::ffff:203.0.113.0/24', '203.0.113.77', false],
  ['::ffff:203.0.113.5', '2001:db8::1', false],
])('the allowlist entry %s admits the client %s: %s', (entry, client, allowed) => {
  expect(allowsAddress([entry], client)).toBe(allowed)
})

const noAddresses = ['', '203.0.113.5 ', '203.0.113.*', '203.0.113.005', '::1/129', 'localhost']
const noPrefixes = ['/', '/33', '/-1', '/abc', '/255.255.255.0'].map((prefix) => `203.0.113.5${prefix}`)

test.each([...noAddresses, ...noPrefixes])('silence 72: the invalid entry %j matches nothing, others hold', (entry) => {
  expect(allowsAddress([entry], '203.0.113.5')).toBe(false)
  expect(allowsAddress([entry, '203.0.113.0/24'], '203.0.113.5')).toBe(true)
})

test('silence 71: an IPv4-mapped IPv6 address is shown as an IPv4 address', () => {
  expect(plainAddress('::ffff:127.0.0.1')).toBe('127.0.0.1')
  expect(plainAddress('::1')).toBe('::1')
})
