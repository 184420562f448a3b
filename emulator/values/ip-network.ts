import { type AddressRange, longestPrefix, shortestForm } from './ip-allowlist.ts'

/**
 * A range as it is usually written, without bits below its prefix: `10.0.0.0/24` for `10.0.0.5/24`.
 * @returns undefined if it is written so already
 */
export function networkOf({ family, address, prefixLength }: AddressRange): string | undefined {
  const groups = family === 'ipv4' ? address.split('.').map(Number) : ipv6Groups(address)
  const bitsOfGroup = longestPrefix[family] / groups.length
  const network = groups.map((group, index) => {
    const hostBits = Math.min(Math.max((index + 1) * bitsOfGroup - prefixLength, 0), bitsOfGroup)
    return Math.floor(group / 2 ** hostBits) * 2 ** hostBits
  })
  if (network.every((group, index) => group === groups[index])) return undefined
  return `${family === 'ipv4' ? network.join('.') : ipv6Text(network)}/${prefixLength}`
}

/** @param address in its shortest form */
function ipv6Groups(address: string): readonly number[] {
  const [head = '', tail] = withoutDots(address).split('::')
  const numbers = (part: string) =>
    part.split(':').flatMap((group) => (group === '' ? [] : [Number.parseInt(group, 16)]))
  const [first, last] = [numbers(head), numbers(tail ?? '')]
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last]
}

function ipv6Text(groups: readonly number[]): string {
  return shortestForm(groups.map((group) => group.toString(16)).join(':'))
}

/** The shortest form may end like an IPv4 address: `::1.2.3.4` is `::102:304`. */
function withoutDots(address: string): string {
  return address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number)
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
}
