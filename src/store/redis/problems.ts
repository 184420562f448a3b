import { type RedisFailure, StoreError } from '../store-error.ts'

/** How messages call a server, and what they must not show. */
export interface ServerWords {
  /** Such as `Redis at redis.test:6379`. */
  readonly name: string
  /** Cut out of the server's own words, which may repeat a command. */
  readonly secrets: readonly string[]
}

const LONGEST_QUOTE = 200

/** The commands that scripts run. */
const commands = 'del hdel hget hgetall hlen hset llen lrange pexpire rpush time'

/** The least rights of a user of Redis, as ACL SETUSER takes them. */
export const neededRights = `~fh2:* +eval +evalsha ${commands.replaceAll(/\w+/g, '+$&')}`

const rightsHint = `Allow it, in redis-cli: ACL SETUSER <user> ${neededRights}`
const trustHint = 'For an authority of your own: --ca-cert FILE or NODE_EXTRA_CA_CERTS, in the library the option ca'
const passwordHint = 'Give them in its URL as redis://user:password@host:6379, where # is %23, / is %2F and @ is %40'
const memoryHint = 'Give it more memory, or the ledger a server of its own'
/** A server for the one closes the connection of the other, or waits for more. */
export const schemeHint =
  'If this does not pass: rediss:// is for a server that speaks TLS, redis:// for one that does not'

/** Redis 6.2, 7.0 and 7.2 have words of their own, and no code, for a command inside a script. */
const rightsWords = /^NOPERM|ACL failure in script|can't run this command|can't access at least one of the keys/
/** Before the password Redis takes no command of more than ten words. */
const passwordWords = /^(WRONGPASS|NOAUTH)|invalid password|unauthenticated (multi)?bulk/i
const trustWords = /(^| )(CERT_(?!HAS|NOT)|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)|_CERT( |_|$)/
const closedWords = /ECONNRESET|EPIPE|ECONNABORTED|Socket ?closed|Client(Closed|Offline)|Disconnects|client is/i

type Refusal = readonly [pattern: RegExp, failure: RedisFailure, says: string, hint?: string]

/**
 * What is wrong, by the code, name and message of an error: the first that fits. The words follow the name of the server; after
 * a colon come its own.
 */
const refusals: readonly Refusal[] = [
  [rightsWords, 'refused', 'does not permit what a ledger needs:', rightsHint],
  [passwordWords, 'refused', 'refuses the user name or the password', passwordHint],
  [/^READONLY/, 'refused', 'is a replica, and takes no writes', 'Name the server that it copies'],
  [/^OOM|used memory > 'maxmemory'/, 'refused', 'has used the memory it may have (maxmemory)', memoryHint],
  [
    /^(MOVED|ASK|TRYAGAIN|CROSSSLOT)/,
    'refused',
    'is a node of a cluster without these keys:',
    'Name the one that has them',
  ],
  [/DB index/i, 'refused', 'has no database of that number', 'It ends the URL, as in redis://host:6379/0'],
  [trustWords, 'refused', 'has a certificate that is not trusted', trustHint],
  [/wrong version number|packet length/i, 'refused', 'does not speak TLS on this port', 'Begin its URL with redis://'],
  [/Unknown RESP type|Protocol error/i, 'refused', 'does not answer as Redis does', 'Check host and port'],
  [/^(LOADING|BUSY|MASTERDOWN|CLUSTERDOWN)|max number of clients/, 'unreachable', 'is not ready:'],
  [/ENOTFOUND|EAI_/, 'unreachable', 'cannot be found: its name has no address'],
  [/ECONNREFUSED/, 'unreachable', 'cannot be reached: nothing listens there'],
  [closedWords, 'unreachable', 'closed the connection', schemeHint],
  [/E(HOST|NET)(UNREACH|DOWN)|TIMEDOUT|Connection ?timeout/i, 'unreachable', 'cannot be reached:', schemeHint],
  [/^/, 'refused', 'cannot be used:'],
]

/** What an error of a client of Redis, or an answer of the server, means. */
export function problemOf(error: unknown, { name, secrets }: ServerWords): StoreError {
  if (error instanceof StoreError) return error
  const [words = '', ...more] = ['message', 'code', 'name'].map((field) =>
    String(Reflect.get(Object(error), field) ?? ''),
  )
  const clues = [words, ...more].join(' ')
  const [, failure, says, hint] = refusals.find(([pattern]) => pattern.test(clues)) as Refusal
  return new StoreError(failure, `${name} ${says}${says.endsWith(':') ? ` ${quoted(words, secrets)}` : ''}`, { hint })
}

/** The server's words in one line, without the arguments of a command that it repeats. */
function quoted(words: string, secrets: readonly string[]): string {
  const [own = ''] = words.split(/,? with args beginning with/i)
  const plain = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), own.replace(/\p{C}+/gu, ' '))
  return plain.length > LONGEST_QUOTE ? `${plain.slice(0, LONGEST_QUOTE)}…` : plain
}
