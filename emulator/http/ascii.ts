/** Only a to z change, as in PHP: what other letters become need not fit into a header, nor be one letter. */
export function upperCased(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())
}
