import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { neededRights, problemOf } from '../../../../src/store/redis/problems.ts'

const server = { name: 'Redis at redis.test:6379', secrets: ['hunter2', 'alice'] }

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}

test.each([
  [new Error('ERR invalid password'), 'wrong-password', 'refuses the user name or the password'],
  [new Error('ERR Client sent AUTH, but no password is set'), 'wrong-password', 'has no password'],
  [new Error("ERR The user executing the script can't run this command or subcommand"), 'not-permitted', 'permit'],
  [new Error('NOPERM this user has no permissions to run the eval command'), 'not-permitted', 'permit'],
  [
    new Error("ERR ACL failure in script: User r has no permissions to run the 'xadd' command"),
    'not-permitted',
    'xadd',
  ],
  [new Error('DENIED Redis is running in protected mode because …'), 'not-permitted', 'protected mode'],
  [new Error("READONLY You can't write against a read only replica."), 'read-only', 'is a replica'],
  [new Error("OOM command not allowed when used memory > 'maxmemory'."), 'out-of-memory', 'maxmemory'],
  [new Error('LOADING Redis is loading the dataset in memory'), 'not-ready', 'is still loading its data'],
  [new Error('TRYAGAIN Multiple keys request during rehashing of slot'), 'cluster', 'does not hold the keys'],
  [new Error("ERR unknown command 'EVALSHA'"), 'failed', 'does not run scripts'],
  [new Error('WRONGTYPE Operation against a key holding the wrong kind of value'), 'failed', 'answered WRONGTYPE'],
  [coded('EAI_AGAIN', 'getaddrinfo EAI_AGAIN redis.test'), 'unreachable', 'its name has no address'],
  [coded('EHOSTUNREACH', 'connect EHOSTUNREACH 192.0.2.1:6379'), 'unreachable', 'no way to its network'],
  [coded('ECONNRESET', 'read ECONNRESET'), 'unreachable', 'closed the connection'],
  [coded('CERT_HAS_EXPIRED', 'certificate has expired'), 'certificate', 'is not valid today'],
  [coded('SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain'), 'certificate', 'not trusted'],
])('Redis\' answer "%s" is a problem of the kind %s', (error, kind, words) => {
  const problem = problemOf(error, server)
  expect(problem).toMatchObject({ failure: kind, message: expect.stringContaining(words) })
  expect(problem.message).toMatch(/^Redis at redis\.test:6379 /)
})

test('a node of a cluster that holds other keys names the node that has them', () => {
  const problem = problemOf(new Error('MOVED 3999 10.0.0.7:6381'), server)
  expect(problem).toMatchObject({ failure: 'cluster', hint: 'Name the node that does: 10.0.0.7:6381' })
})

test.each([
  "ERR unknown command 'FOO', with args beginning with: 'alice' 'hunter2' ",
  'ERR no user alice with password hunter2',
  `ERR ${'hunter2 '.repeat(1_000)}`,
  'ERR a line\r\nand a second one \u001b[31m',
])("a message has no secret of the server's words, is one short line, and has no cause: %j", (words) => {
  const problem = problemOf(Object.assign(new Error(words), { command: { args: ['hunter2'] } }), server)
  expect(`${problem.message} ${problem.hint}`).not.toMatch(/hunter2|alice|\p{C}/u)
  expect(problem.message.length).toBeLessThan(300)
  expect(problem.cause).toBeUndefined()
})

test('the rights that a user of Redis needs name each command of the scripts', () => {
  const text = readFileSync('src/store/redis/account.lua', 'utf8')
  // What is called by pcall does without.
  const used = [...text.matchAll(/redis\.call\('(\w+)'/g)].map(([, name = '']) => `+${name.toLowerCase()}`)
  expect([...new Set(used)].sort()).toEqual(neededRights.split(' ').slice(3))
})
