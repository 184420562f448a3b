/** Options of a test that may need more than the usual 30 s on a busy machine: how long, and why. */
export function takesLong(seconds: number, _why: string): { readonly timeout: number } {
  return { timeout: seconds * 1_000 }
}
