import { FleetProblem } from '../../store/fleet-problem.ts'
import { refusals } from './redis-refusals.ts'
import { neededRights } from './redis-rights.ts'

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

/** What an error of a client of Redis, or an answer of the server, means. It has no cause: that may hold the password. */
export function problemOf(error: unknown, { name, secrets }: ServerWords): FleetProblem {
  if (error instanceof FleetProblem) return error
  const words = String(Reflect.get(Object(error), 'message') ?? error)
  if (NOT_PERMITTED.test(words)) {
    const hint = `Allow it, in redis-cli: ACL SETUSER <user> ${neededRights}`
    return new FleetProblem('not-permitted', `${name} does not permit what a ledger needs: ${quoted(words, secrets)}`, {
      hint,
    })
  }
  const clues = [words, ...['code', 'name'].map((field) => String(Reflect.get(Object(error), field) ?? ''))].join(' ')
  const refusal = refusals.find(([pattern]) => pattern.test(clues))
  if (refusal === undefined) return new FleetProblem('failed', `${name} answered ${quoted(words, secrets)}`)
  const [, kind, says, hint] = refusal
  const node = /^(?:MOVED|ASK) \d+ (\S+)/.exec(words)?.[1]
  const advice = node === undefined ? hint : `Name the node that does: ${quoted(node, secrets)}`
  return new FleetProblem(kind, `${name} ${says}`, advice === undefined ? {} : { hint: advice })
}

/** The server's words in one line, without the arguments of a command that it repeats. */
function quoted(words: string, secrets: readonly string[]): string {
  const [own = ''] = words.split(/,? with args beginning with/i)
  const plain = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), own.replace(/\p{C}+/gu, ' '))
  return plain.length > LONGEST_QUOTE ? `${plain.slice(0, LONGEST_QUOTE)}…` : plain
}
