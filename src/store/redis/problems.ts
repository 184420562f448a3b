import { type RedisFailure, StoreError } from '../store-error.ts'

/** How messages call a server, and what they must not show. */
export interface ServerWords {
  /** Such as `Redis at redis.test:6379`. */
  readonly name: string
  /** Cut out of the server's own words, which may repeat a command. */
  readonly secrets: readonly string[]
}

/** Redis 6.2, 7.0 and 7.2 have words of their own, and no code, for a command inside a script. */
const NOT_PERMITTED = /^NOPERM|ACL failure in script|can't run this command|can't access at least one of the keys/
const LONGEST_QUOTE = 200

/** The commands that scripts run. */
const commands = 'del hdel hget hgetall hlen hset llen lrange pexpire rpush time'

/** The least rights of a user of Redis, as ACL SETUSER takes them. */
export const neededRights = `~fh2:* +eval +evalsha ${commands.replaceAll(/\w+/g, '+$&')}`

/** What an error of a client of Redis, or an answer of the server, means. */
export function problemOf(error: unknown, { name, secrets }: ServerWords): StoreError {
  if (error instanceof StoreError) return error
  const words = String(Reflect.get(Object(error), 'message') ?? error)
  if (NOT_PERMITTED.test(words)) {
    const message = `${name} does not permit what a ledger needs: ${quoted(words, secrets)}`
    const hint = `Allow it, in redis-cli: ACL SETUSER <user> ${neededRights}`
    return new StoreError('not-permitted', message, { hint })
  }
  const clues = [words, ...['code', 'name'].map((field) => String(Reflect.get(Object(error), field) ?? ''))].join(' ')
  const refusal = refusals.find(([pattern]) => pattern.test(clues))
  if (refusal === undefined) return new StoreError('failed', `${name} answered ${quoted(words, secrets)}`)
  const [, failure, says, hint = ''] = refusal
  const node = /^(?:MOVED|ASK) \d+ (\S+)/.exec(words)?.[1]
  const advice = node === undefined ? hint : `Name the node that does: ${quoted(node, secrets)}`
  return new StoreError(failure, `${name} ${says}`, { hint: advice })
}

/** The server's words in one line, without the arguments of a command that it repeats. */
function quoted(words: string, secrets: readonly string[]): string {
  const [own = ''] = words.split(/,? with args beginning with/i)
  const plain = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), own.replace(/\p{C}+/gu, ' '))
  return plain.length > LONGEST_QUOTE ? `${plain.slice(0, LONGEST_QUOTE)}…` : plain
}

const trustHint = 'For an authority of your own: --ca-cert FILE or NODE_EXTRA_CA_CERTS, in the library the option ca'
const otherNames = `Use a name that its certificate has. ${trustHint}`
const passwordHint = 'Give them in its URL as redis://user:password@host:6379, where # is %23, / is %2F and @ is %40'
const memoryHint = 'Give it more memory, or the ledger a server of its own'
/** A server for the one closes the connection of the other, or waits for more. */
export const schemeHint =
  'If this does not pass: rediss:// is for a server that speaks TLS, redis:// for one that does not'
const tlsWords = /(^| )(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT|HOSTNAME_MISMATCH)|_CERT( |_|$)/
const closedWords =
  /ECONNRESET|EPIPE|ECONNABORTED|Socket ?[Cc]losed|Client(Closed|Offline)|Disconnects|client is (closed|offline)|Connection is closed|Reached the max retries/i

/** What is wrong, by the code, name and message of an error: the first that fits. The words follow the name of the server. */
const refusals: readonly (readonly [pattern: RegExp, failure: RedisFailure, says: string, hint?: string])[] = [
  // What Redis and Valkey answer, by the first word of the answer, and old versions' words.
  [/^WRONGPASS|invalid password/i, 'wrong-password', 'refuses the user name or the password', passwordHint],
  // Before the password Redis takes no command of more than ten words.
  [/^NOAUTH|unauthenticated (multi)?bulk/, 'wrong-password', 'asks for a password', passwordHint],
  [
    /AUTH.* (without any p|no p)assword/,
    'wrong-password',
    'has no password, but one was given',
    'Leave the password out of its URL',
  ],
  [/^DENIED/, 'not-permitted', 'is in protected mode, for its own machine alone', 'Give it a password'],
  [/^READONLY/, 'read-only', 'is a replica, and takes no writes', 'Name the server that it copies'],
  [
    /^MISCONF/,
    'read-only',
    'cannot write its data to disk, and takes no writes',
    'Its log says why; its disk may be full',
  ],
  [/^NOREPLICAS/, 'read-only', 'takes no writes while it has too few replicas'],
  [/^OOM|used memory > 'maxmemory'/, 'out-of-memory', 'has used the memory it may have (maxmemory)', memoryHint],
  [/^LOADING/, 'not-ready', 'is still loading its data'],
  [/^BUSY /, 'not-ready', 'is busy with a script that does not end', 'SCRIPT KILL ends it'],
  [/^MASTERDOWN/, 'not-ready', 'is a replica that lost the server it copies'],
  [/max number of clients/, 'not-ready', 'has as many connections as it takes (maxclients)'],
  [/^CLUSTERDOWN/, 'cluster', 'belongs to a cluster that is down'],
  [/^(MOVED|ASK|TRYAGAIN|CROSSSLOT)/, 'cluster', 'is a node of a cluster that does not hold the keys of this account'],
  [/SELECT is not allowed in cluster/, 'cluster', 'is a node of a cluster: no number of a database ends its URL'],
  [
    /DB index|invalid first argument for 'select'/i,
    'failed',
    'has no database of that number',
    'It ends the URL, as in redis://host:6379/0',
  ],
  [/^ERR unknown command/i, 'failed', 'does not run scripts (EVALSHA)', 'A ledger needs Redis 6.2 or newer, or Valkey'],
  // What happens on the way there, by the codes of Node and the words of clients.
  [/ERR_TLS_CERT_ALTNAME_INVALID/, 'certificate', 'has a certificate for other names', otherNames],
  [
    /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    'certificate',
    'has a certificate that is not valid today',
    'Renew it, or set the clock',
  ],
  [tlsWords, 'certificate', 'has a certificate that is not trusted', trustHint],
  [
    /wrong version number|packet length too long/i,
    'failed',
    'does not speak TLS on this port',
    'Begin its URL with redis://',
  ],
  [/Unknown RESP type|Protocol error/i, 'failed', 'does not answer as Redis does', 'Check host and port'],
  [/ENOTFOUND|EAI_/, 'unreachable', 'cannot be found: its name has no address'],
  [/ECONNREFUSED/, 'unreachable', 'cannot be reached: nothing listens there'],
  [/EHOSTUNREACH|ENETUNREACH|ENETDOWN|EHOSTDOWN/, 'unreachable', 'cannot be reached: there is no way to its network'],
  [/ETIMEDOUT|Connection ?timeout/i, 'unreachable', 'cannot be reached: no connection was made in time', schemeHint],
  [closedWords, 'unreachable', 'closed the connection', schemeHint],
]
