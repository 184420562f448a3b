import { BlockList, isIP } from 'node:net'

const mappedIPv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** A client's address in its plain form: an IPv4 address seen through an IPv6 socket is that IPv4 address. */
export function plainAddress(address: string): string {
  return mappedIPv4.exec(address)?.[1] ?? address
}

/** Whether an account restricted to these addresses and CIDR ranges may be used from this one (spec 5.5). */
export function allowsAddress(allowlist: readonly string[], address: string): boolean {
  // An empty list restricts nothing: it is how the restriction is switched off.
  if (allowlist.length === 0) return true
  const plain = plainAddress(address)
  const family = familyOf(plain)
  return family !== undefined && compiled(allowlist)[family].check(plain, family)
}

type Family = 'ipv4' | 'ipv6'

/** One list per family, for Node's own lists let `::/0` match IPv4 addresses. */
type CompiledAllowlist = Readonly<Record<Family, BlockList>>

const compiledLists = new WeakMap<readonly string[], CompiledAllowlist>()

function compiled(allowlist: readonly string[]): CompiledAllowlist {
  const known = compiledLists.get(allowlist)
  if (known !== undefined) return known
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const entry of allowlist) addEntry(lists, entry)
  compiledLists.set(allowlist, lists)
  return lists
}

/** An entry that is no address or range matches nobody; it is not an error, for the service's page takes any text. */
function addEntry(lists: CompiledAllowlist, entry: string): void {
  const [, host = '', bits] = /^([^/]+)(?:\/(\d+(?:\.\d*)?))?$/.exec(entry) ?? []
  const address = plainAddress(host)
  const family = familyOf(address)
  if (family === undefined) return
  const longest = family === 'ipv4' ? 32 : 128
  const length = bits === undefined ? longest : Number.parseInt(bits, 10)
  if (length <= longest) lists[family].addSubnet(address, length, family)
}

function familyOf(address: string): Family | undefined {
  // A zone id names an interface of one machine and says nothing about who calls.
  if (address.includes('%')) return undefined
  const version = isIP(address)
  if (version === 0) return undefined
  return version === 4 ? 'ipv4' : 'ipv6'
}
