let lastSecond = Number.NaN
let lastText = ''

/** An HTTP date; every reply has one, so it is formatted once per second. */
export function httpDate(epochMs: number): string {
  const second = Math.floor(epochMs / 1_000)
  if (second !== lastSecond) {
    lastSecond = second
    lastText = new Date(second * 1_000).toUTCString()
  }
  return lastText
}
