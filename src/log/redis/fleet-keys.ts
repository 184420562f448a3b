/** The keys of one account's fleet, in the order of KEYS in every script. The braces keep them on one node of a cluster. */
export function fleetKeys(account: string): readonly string[] {
  const names = ['state', 'log', 'base', 'record', 'seen', 'runners', 'contents', 'contents-base']
  return names.map((name) => `fh1:{${account}}:${name}`)
}
