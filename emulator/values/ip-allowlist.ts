import { BlockList, isIP, SocketAddress } from 'node:net'

const mappedIPv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** The plain form of a client's address: an IPv4-mapped IPv6 address becomes the IPv4 address. */
export function plainAddress(address: string): string {
  return mappedIPv4.exec(address)?.[1] ?? address
}

/** Whether an allowlist of addresses and CIDR ranges admits an address (spec 5.5). */
export function allowsAddress(allowlist: readonly string[], address: string): boolean {
  // An empty list switches the restriction off.
  if (allowlist.length === 0) return true
  const plain = plainAddress(address)
  const family = familyOf(plain)
  return family !== undefined && compiled(allowlist)[family].check(plain, family)
}

type Family = 'ipv4' | 'ipv6'

/** One list per family: in a shared `BlockList`, `::/0` matches IPv4 addresses too. */
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

/** The length of the prefix `::ffff:` of an IPv4-mapped address, in bits. */
const mappedBits = 96

/** An invalid entry matches no address. It is no error, because the service's page accepts any text. */
function addEntry(lists: CompiledAllowlist, entry: string): void {
  const [, written = '', bits] = /^([^/]+)(?:\/(\d+(?:\.\d*)?))?$/.exec(entry) ?? []
  if (familyOf(written) === undefined) return
  const address = plainAddress(canonical(written))
  const family = address.includes(':') ? 'ipv6' : 'ipv4'
  const longest = family === 'ipv4' ? 32 : 128
  const isMapped = family === 'ipv4' && written.includes(':')
  const length = bits === undefined ? longest : Number.parseInt(bits, 10) - (isMapped ? mappedBits : 0)
  if (length >= 0 && length <= longest) lists[family].addSubnet(address, length, family)
}

/** The shortest form of an address; an IPv4-mapped one then begins with `::ffff:`. */
function canonical(address: string): string {
  return isIP(address) === 6 ? new SocketAddress({ address, family: 'ipv6' }).address : address
}

function familyOf(address: string): Family | undefined {
  // A zone id names a network interface of one machine, not a client.
  if (address.includes('%')) return undefined
  const version = isIP(address)
  if (version === 0) return undefined
  return version === 4 ? 'ipv4' : 'ipv6'
}
