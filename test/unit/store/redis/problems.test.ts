import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { neededRights, problemOf } from '../../../../src/store/redis/problems.ts'

const server = { name: 'Redis at redis.test:6379', secrets: ['hunter2', 'alice'] }

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}

test.each([
  [new Error('ERR invalid password'), 'refused', 'refuses the user name or the password'],
  [new Error('ERR Client sent AUTH, but no password is set'), 'refused', 'cannot be used: ERR Client sent AUTH'],
  [new Error("ERR The user executing the script can't run this command or subcommand"), 'refused', 'permit'],
  [new Error('NOPERM this user has no permissions to run the eval command'), 'refused', 'permit'],
  [new Error("ERR ACL failure in script: User r has no permissions to run the 'xadd' command"), 'refused', 'xadd'],
  [new Error('DENIED Redis is running in protected mode because …'), 'refused', 'protected mode'],
  [new Error("READONLY You can't write against a read only replica."), 'refused', 'is a replica'],
  [new Error("OOM command not allowed when used memory > 'maxmemory'."), 'refused', 'maxmemory'],
  [new Error('LOADING Redis is loading the dataset in memory'), 'unreachable', 'is not ready: LOADING'],
  [new Error('TRYAGAIN Multiple keys request during rehashing of slot'), 'refused', 'without these keys'],
  [new Error("ERR unknown command 'EVALSHA'"), 'refused', 'cannot be used: ERR unknown command'],
  [new Error('WRONGTYPE Operation against a key holding the wrong kind of value'), 'refused', 'WRONGTYPE'],
  [coded('EAI_AGAIN', 'getaddrinfo EAI_AGAIN redis.test'), 'unreachable', 'its name has no address'],
  [
    coded('EHOSTUNREACH', 'connect EHOSTUNREACH 192.0.2.1:6379'),
    'unreachable',
    'cannot be reached: connect EHOSTUNREACH',
  ],
  [coded('ECONNRESET', 'read ECONNRESET'), 'unreachable', 'closed the connection'],
  [coded('CERT_HAS_EXPIRED', 'certificate has expired'), 'refused', 'cannot be used: certificate has expired'],
  [coded('SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain'), 'refused', 'not trusted'],
])('Redis\' answer "%s" is a problem of the kind %s', (error, kind, words) => {
  const problem = problemOf(error, server)
  expect(problem).toMatchObject({ failure: kind, message: expect.stringContaining(words) })
  expect(problem.message).toMatch(/^Redis at redis\.test:6379 /)
})

test('a node of a cluster that holds other keys names the node that has them', () => {
  const problem = problemOf(new Error('MOVED 3999 10.0.0.7:6381'), server)
  expect(problem).toMatchObject({ failure: 'refused', message: expect.stringContaining(': MOVED 3999 10.0.0.7:6381') })
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
