import { readFile } from 'node:fs/promises'
import { reasonOf, usageError } from '../cli-error.ts'

const BEGIN = '-----BEGIN CERTIFICATE-----'
const END = '-----END CERTIFICATE-----'

/**
 * The certificate authorities in a PEM file, each of them checked: TLS leaves out in silence what it cannot read.
 * @throws CliError of code `usage`
 */
export async function readCaFile(path: string): Promise<string> {
  const pem = await readFile(path, 'utf8').catch((error: unknown) => {
    throw usageError(`The CA file cannot be read: ${reasonOf(error)}`)
  })
  const certificates = pem.split(BEGIN).slice(1)
  if (certificates.length === 0) {
    throw usageError(`${path} holds no certificate in PEM form`, `It has to contain ${BEGIN}`)
  }
  const { X509Certificate } = await import('node:crypto')
  for (const [index, text] of certificates.entries()) {
    const [body = '', ...rest] = text.split(END)
    const place = `${path}: certificate ${index + 1} of ${certificates.length}`
    if (rest.length === 0) throw usageError(`${place} is cut off`, `It has to end with ${END}`)
    try {
      new X509Certificate(`${BEGIN}${body}${END}`)
    } catch {
      throw usageError(`${place} is damaged`, 'Get the file anew from whoever runs the service')
    }
  }
  return pem
}
