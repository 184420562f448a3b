import { BlockList, isIP, SocketAddress } from 'node:net'

const mappedIPv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** The plain form of a client's address: an IPv4-mapped IPv6 address becomes the IPv4 address. */
export function plainAddress(address: string): string {
  return mappedIPv4.exec(address)?.[1] ?? address
}

/** Whether an address in its plain form is this machine's. */
export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}

/** Whether a host, as in a URL, can only be this machine: no page elsewhere can have such a name. */
export function isLoopbackName(hostname: string): boolean {
  return hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname) || /^(.+\.)?localhost$/.test(hostname)
}

/** Whether an allowlist of addresses and CIDR ranges admits an address (spec 5.5). */
export function allowsAddress(allowlist: readonly string[], address: string): boolean {
  // An empty list switches the restriction off.
  if (allowlist.length === 0) return true
  const plain = plainAddress(address)
  const family = familyOf(plain)
  return family !== undefined && compiled(allowlist)[family].check(plain, family)
}

export type Family = 'ipv4' | 'ipv6'

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

/** Addresses that an entry of an allowlist means. */
export interface AddressRange {
  readonly family: Family
  /** As written, but in its shortest form; an IPv4-mapped IPv6 address as the IPv4 address. */
  readonly address: string
  /** In bits; an address alone has the longest. */
  readonly prefixLength: number
}

/** What an entry of an allowlist means; undefined if it means nothing. */
export function parseAllowlistEntry(entry: string): AddressRange | undefined {
  const slash = entry.indexOf('/')
  const written = slash === -1 ? entry : entry.slice(0, slash)
  const bits = slash === -1 ? undefined : entry.slice(slash + 1)
  if (familyOf(written) === undefined) return undefined
  // The framework takes the whole part of a number.
  if (bits !== undefined && !/^\d+(?:\.\d*)?$/.test(bits)) return undefined
  const address = plainAddress(shortestForm(written))
  const family = address.includes(':') ? 'ipv6' : 'ipv4'
  const longest = longestPrefix[family]
  const isMapped = family === 'ipv4' && written.includes(':')
  const prefixLength = bits === undefined ? longest : Number.parseInt(bits, 10) - (isMapped ? mappedBits : 0)
  return prefixLength < 0 || prefixLength > longest ? undefined : { family, address, prefixLength }
}

/** The length of a whole address, in bits. */
const longestPrefix: Readonly<Record<Family, number>> = { ipv4: 32, ipv6: 128 }

/** An invalid entry matches no address. It is no error, because the control API accepts any text. */
function addEntry(lists: CompiledAllowlist, entry: string): void {
  const range = parseAllowlistEntry(entry)
  if (range !== undefined) lists[range.family].addSubnet(range.address, range.prefixLength, range.family)
}

/** The shortest form of an address; an IPv4-mapped one then begins with `::ffff:`. */
function shortestForm(address: string): string {
  return isIP(address) === 6 ? new SocketAddress({ address, family: 'ipv6' }).address : address
}

function familyOf(address: string): Family | undefined {
  // A zone id names a network interface of one machine, not a client.
  if (address.includes('%')) return undefined
  const version = isIP(address)
  if (version === 0) return undefined
  return version === 4 ? 'ipv4' : 'ipv6'
}
