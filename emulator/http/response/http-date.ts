let lastSecond = Number.NaN
let lastText = ''

/** An instant as HTTP writes it; the text is made once a second, for every answer has it. */
export function httpDate(epochMs: number): string {
  const second = Math.floor(epochMs / 1_000)
  if (second !== lastSecond) {
    lastSecond = second
    lastText = new Date(second * 1_000).toUTCString()
  }
  return lastText
}
