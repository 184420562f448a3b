const PLACEHOLDER = '[redacted]'

/** Replaces the key in a text, as it is and percent-encoded. */
export function createRedactor(apiKey: string): (text: string) => string {
  const forms = [...new Set([apiKey, encodeURIComponent(apiKey)])].filter((form) => form !== '')
  return (text) => forms.reduce((redacted, form) => redacted.replaceAll(form, PLACEHOLDER), text)
}
