/** The options of a test that the usual limit of 30 s is too short for, on a busy machine too: how long, and why. */
export function takesLong(seconds: number, _why: string): { readonly timeout: number } {
  return { timeout: seconds * 1_000 }
}
