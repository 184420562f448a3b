/**
 * The commands that scripts run, each with arguments behind the key by which it fails before it writes: what is not
 * permitted is said before the arguments are read.
 */
export const scriptCommands: Readonly<Record<string, readonly string[]>> = {
  EXISTS: [],
  HDEL: ['field'],
  HGET: ['field'],
  HMGET: ['field'],
  HSET: ['field', 'value', 'field without a value'],
  PEXPIRE: ['never'],
  SET: ['value', 'PX', '0'],
  TIME: [],
  XADD: ['0-0', 'field', 'value'],
  XRANGE: ['-', '+'],
  XREVRANGE: ['+', '-'],
  XTRIM: ['MINID', 'never'],
  ZADD: ['never', 'member'],
  ZRANGEBYSCORE: ['-inf', '+inf'],
  ZREM: ['member'],
}

/** The least rights of a user of Redis, as ACL SETUSER takes them. */
export const neededRights = ['~fh1:*', ...['EVAL', 'EVALSHA', ...Object.keys(scriptCommands)].map(allowed)].join(' ')

function allowed(command: string): string {
  return `+${command.toLowerCase()}`
}
