/** A file name that is no path, and has no control characters; empty if nothing is left. */
export function plainName(name: string): string {
  const plain = name.replace(/^.*[/\\]/s, '').replace(/\p{Cc}/gu, '_')
  return /^\.+$/.test(plain) ? '' : plain
}
