import type { FleetProblemKind } from '../../store/fleet-problem.ts'

/** A way in which Redis cannot be used. */
type RedisRefusal = readonly [
  /** Tells it by the code, name and message of an error. */
  pattern: RegExp,
  kind: FleetProblemKind,
  /** Read after the name of the server. */
  says: string,
  hint?: string,
]

const trustHint = 'For an authority of your own: --ca-cert FILE or NODE_EXTRA_CA_CERTS, in the library the option ca'
const passwordHint = 'Give them in its URL as redis://user:password@host:6379, where # is %23, / is %2F and @ is %40'

/** A server for the one closes the connection of the other, or waits for more. */
export const schemeHint =
  'If this does not pass: rediss:// is for a server that speaks TLS, redis:// for one that does not'

/** The first that fits counts. */
export const refusals: readonly RedisRefusal[] = [
  // What Redis and Valkey answer, by the first word of the answer, and old versions' words.
  [/^WRONGPASS|invalid password/i, 'wrong-password', 'refuses the user name or the password', passwordHint],
  // Before the password Redis takes no command of more than ten words.
  [/^NOAUTH|unauthenticated (multi)?bulk/, 'wrong-password', 'asks for a password', passwordHint],
  [
    /AUTH.* (called without any password configured|no password is set)/,
    'wrong-password',
    'has no password, but one was given',
    'Leave the password out of its URL',
  ],
  [
    /^DENIED/,
    'not-permitted',
    'is in protected mode, and takes connections from its own machine only',
    'Give it a password',
  ],
  [/^READONLY/, 'read-only', 'is a replica, and takes no writes', 'Name the server that it copies'],
  [
    /^MISCONF/,
    'read-only',
    'cannot write its data to disk, and takes no writes until it can',
    'Its log says why; its disk may be full',
  ],
  [/^NOREPLICAS/, 'read-only', 'takes no writes while it has too few replicas'],
  [
    /^OOM|used memory > 'maxmemory'/,
    'out-of-memory',
    'has used the memory it may have (maxmemory), and takes no writes',
    'Give it more memory, or the ledger a server of its own',
  ],
  [/^LOADING/, 'not-ready', 'is still loading its data'],
  [/^BUSY /, 'not-ready', 'is busy with a script that does not end', 'SCRIPT KILL ends it'],
  [/^MASTERDOWN/, 'not-ready', 'is a replica that lost the server it copies'],
  [/max number of clients/, 'not-ready', 'has as many connections as it takes (maxclients)'],
  [/^CLUSTERDOWN/, 'cluster', 'belongs to a cluster that is down'],
  [/^(MOVED|ASK|TRYAGAIN|CROSSSLOT)/, 'cluster', 'is a node of a cluster that does not hold the keys of this account'],
  [
    /SELECT is not allowed in cluster/,
    'cluster',
    'is a node of a cluster, which has no numbered databases',
    'Leave the number out of its URL',
  ],
  [
    /DB index|invalid first argument for 'select'/i,
    'failed',
    'has no database of that number',
    'The number ends its URL, as in redis://host:6379/0',
  ],
  [/^ERR unknown command/i, 'failed', 'does not run scripts (EVALSHA)', 'A ledger needs Redis 6.2 or newer, or Valkey'],
  // What happens on the way there, by the codes of Node and the words of clients.
  [
    /ERR_TLS_CERT_ALTNAME_INVALID/,
    'certificate',
    'has a certificate for other names',
    `Use a name that its certificate has. ${trustHint}`,
  ],
  [
    /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    'certificate',
    'has a certificate that is not valid today',
    'Renew it, or set the clock of this machine',
  ],
  [
    /(^| )(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT|HOSTNAME_MISMATCH)|_CERT( |_|$)/,
    'certificate',
    'has a certificate that is not trusted',
    trustHint,
  ],
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
  [
    /ETIMEDOUT|ConnectionTimeout|Connection timeout/,
    'unreachable',
    'cannot be reached: no connection was made in time',
    schemeHint,
  ],
  [
    /ECONNRESET|EPIPE|ECONNABORTED|Socket closed|SocketClosed|ClientClosed|ClientOffline|Disconnects|client is (closed|offline)|Connection is closed|Reached the max retries/i,
    'unreachable',
    'closed the connection',
    schemeHint,
  ],
]
