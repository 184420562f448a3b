/** The keys of one account's fleet, in the order of KEYS in every script. The braces keep them on one node of a cluster. */
export function fleetKeys(account: string): readonly string[] {
  return ['state', 'log', 'base', 'record', 'seen', 'runners'].map((name) => `fh1:{${account}}:${name}`)
}
