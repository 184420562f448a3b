import { hiddenValue, holdsKey, isSecretHeader, minKeyLength } from '../service/exchanges.ts'

/** Hides a key wherever a text has it: as it is, in an address, and as JSON writes it. */
export function withoutKey(text: string, key: string | undefined): string {
  if (key === undefined || key.length < minKeyLength) return text
  const json = JSON.stringify(key).slice(1, -1)
  const forms = new Set([key, encodeURIComponent(key), json, json.replaceAll('/', '\\/')])
  return [...forms].reduce((hidden, form) => hidden.replaceAll(form, hiddenValue), text)
}

/** A query as sent, without the values of parameters whose names speak of a secret. */
export function withoutSecrets(query: string, key: string | undefined): string {
  const parts = query.split('&').map((part) => {
    const at = part.indexOf('=')
    if (at === -1) return part
    const isSecret = isSecretHeader(decoded(part.slice(0, at))) || holdsKey(decoded(part.slice(at + 1)), key)
    return isSecret ? `${part.slice(0, at + 1)}${hiddenValue}` : part
  })
  return withoutKey(parts.join('&'), key)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

const secretName = '[^"\'\\r\\n&=:]{0,80}(?:key|auth|token|secret|passw)[^"\'\\r\\n&=:]{0,80}'
/** A field of a form in parts, of a form in one line, and of JSON. */
const secretFields = [
  new RegExp(`(name="${secretName}"\\r\\n(?:[^\\r\\n]{1,500}\\r\\n){0,5}\\r\\n)[^\\r\\n]+`, 'gi'),
  new RegExp(`((?:^|&)${secretName}=)[^&\\r\\n]+`, 'gi'),
  new RegExp(`("${secretName}"\\s{0,20}:\\s{0,20})"(?:[^"\\\\]|\\\\.)*"?`, 'gi'),
]

/**
 * The bytes of a body without the key and without fields whose names speak of a secret.
 * @param isCut at its end there may be the beginning of the key
 */
export function withoutSecretBytes(body: Buffer, key: string | undefined, isCut: boolean): Buffer {
  const end = isCut ? body.length - (key?.length ?? 0) : body.length
  const text = withoutKey(body.toString('latin1', 0, Math.max(end, 0)), key)
  const hidden = secretFields.reduce((shown, field) => shown.replace(field, `$1${hiddenValue}`), text)
  return Buffer.from(hidden, 'latin1')
}
