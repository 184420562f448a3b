import { BlockList, isIP, SocketAddress } from 'node:net'

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

/** How many leading bits of an IPv6 address say that it is an IPv4 one. */
const mappedBits = 96

/** An entry that is no address or range matches nobody; it is not an error, for the service's page takes any text. */
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

/** The shortest way to write an address, which shows a mapped one for what it is. */
function canonical(address: string): string {
  return isIP(address) === 6 ? new SocketAddress({ address, family: 'ipv6' }).address : address
}

function familyOf(address: string): Family | undefined {
  // A zone id names an interface of one machine and says nothing about who calls.
  if (address.includes('%')) return undefined
  const version = isIP(address)
  if (version === 0) return undefined
  return version === 4 ? 'ipv4' : 'ipv6'
}
