import type { FleetProblemKind } from './redis-link.ts'

/** A way in which Redis cannot be used. */
export interface RedisRefusal {
  /** Tells it by the code, name and message of an error. */
  readonly pattern: RegExp
  readonly kind: FleetProblemKind
  /** Read after the name of the server. */
  readonly says: string
  readonly hint?: string
}

const trustHint = 'For an authority of your own: --ca-cert FILE or NODE_EXTRA_CA_CERTS, in the library the option ca'
const passwordHint = 'Give them in its URL as redis://user:password@host:6379, where # is %23, / is %2F and @ is %40'

/** A server for the one closes the connection of the other, or waits for more. */
export const schemeHint =
  'If this does not pass: rediss:// is for a server that speaks TLS, redis:// for one that does not'

/** What Redis and Valkey answer, by the first word of the answer, and old versions' words. */
const answers: readonly RedisRefusal[] = [
  {
    pattern: /^WRONGPASS|invalid password/i,
    kind: 'wrong-password',
    says: 'refuses the user name or the password',
    hint: passwordHint,
  },
  { pattern: /^NOAUTH/, kind: 'wrong-password', says: 'asks for a password', hint: passwordHint },
  {
    pattern: /AUTH.* (called without any password configured|no password is set)/,
    kind: 'wrong-password',
    says: 'has no password, but one was given',
    hint: 'Leave the password out of its URL',
  },
  {
    pattern: /^DENIED/,
    kind: 'not-permitted',
    says: 'is in protected mode, and takes connections from its own machine only',
    hint: 'Give it a password',
  },
  {
    pattern: /^READONLY/,
    kind: 'read-only',
    says: 'is a replica, and takes no writes',
    hint: 'Name the server that it copies',
  },
  {
    pattern: /^MISCONF/,
    kind: 'read-only',
    says: 'cannot write its data to disk, and takes no writes until it can',
    hint: 'Its log says why; its disk may be full',
  },
  { pattern: /^NOREPLICAS/, kind: 'read-only', says: 'takes no writes while it has too few replicas' },
  {
    pattern: /^OOM|used memory > 'maxmemory'/,
    kind: 'out-of-memory',
    says: 'has used the memory it may have (maxmemory), and takes no writes',
    hint: 'Give it more memory, or the ledger a server of its own',
  },
  { pattern: /^LOADING/, kind: 'not-ready', says: 'is still loading its data' },
  {
    pattern: /^BUSY /,
    kind: 'not-ready',
    says: 'is busy with a script that does not end',
    hint: 'SCRIPT KILL ends it',
  },
  { pattern: /^MASTERDOWN/, kind: 'not-ready', says: 'is a replica that lost the server it copies' },
  { pattern: /max number of clients/, kind: 'not-ready', says: 'has as many connections as it takes (maxclients)' },
  { pattern: /^CLUSTERDOWN/, kind: 'cluster', says: 'belongs to a cluster that is down' },
  {
    pattern: /^(MOVED|ASK|TRYAGAIN|CROSSSLOT)/,
    kind: 'cluster',
    says: 'is a node of a cluster that does not hold the keys of this account',
  },
  {
    pattern: /SELECT is not allowed in cluster/,
    kind: 'cluster',
    says: 'is a node of a cluster, which has no numbered databases',
    hint: 'Leave the number out of its URL',
  },
  {
    pattern: /DB index|invalid first argument for 'select'/i,
    kind: 'failed',
    says: 'has no database of that number',
    hint: 'The number ends its URL, as in redis://host:6379/0',
  },
  {
    pattern: /^ERR unknown command/i,
    kind: 'failed',
    says: 'does not run scripts (EVALSHA)',
    hint: 'A ledger needs Redis 6.2 or newer, or Valkey',
  },
]

/** What happens on the way there, by the codes of Node and the words of clients. */
const failures: readonly RedisRefusal[] = [
  {
    pattern: /ERR_TLS_CERT_ALTNAME_INVALID/,
    kind: 'certificate',
    says: 'has a certificate for other names',
    hint: `Use a name that its certificate has. ${trustHint}`,
  },
  {
    pattern: /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    kind: 'certificate',
    says: 'has a certificate that is not valid today',
    hint: 'Renew it, or set the clock of this machine',
  },
  {
    pattern: /(^| )(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT|HOSTNAME_MISMATCH)|_CERT( |_|$)/,
    kind: 'certificate',
    says: 'has a certificate that is not trusted',
    hint: trustHint,
  },
  {
    pattern: /wrong version number|packet length too long/i,
    kind: 'failed',
    says: 'does not speak TLS on this port',
    hint: 'Begin its URL with redis://',
  },
  {
    pattern: /Unknown RESP type|Protocol error/i,
    kind: 'failed',
    says: 'does not answer as Redis does',
    hint: 'Check host and port',
  },
  { pattern: /ENOTFOUND|EAI_/, kind: 'unreachable', says: 'cannot be found: its name has no address' },
  { pattern: /ECONNREFUSED/, kind: 'unreachable', says: 'cannot be reached: nothing listens there' },
  {
    pattern: /EHOSTUNREACH|ENETUNREACH|ENETDOWN|EHOSTDOWN/,
    kind: 'unreachable',
    says: 'cannot be reached: there is no way to its network',
  },
  {
    pattern: /ETIMEDOUT|ConnectionTimeout|Connection timeout/,
    kind: 'unreachable',
    says: 'cannot be reached: no connection was made in time',
    hint: schemeHint,
  },
  {
    pattern:
      /ECONNRESET|EPIPE|ECONNABORTED|Socket closed|SocketClosed|ClientClosed|ClientOffline|Disconnects|client is (closed|offline)|Connection is closed|Reached the max retries/i,
    kind: 'unreachable',
    says: 'closed the connection',
    hint: schemeHint,
  },
]

/** The first that fits counts. */
export const refusals: readonly RedisRefusal[] = [...answers, ...failures]
