import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { reasonOf } from '../../system/system-errors.ts'
import { usageError } from '../failures/cli-error.ts'
import { placeOf, type Settings } from './settings.ts'

const BEGIN = '-----BEGIN CERTIFICATE-----'
const END = '-----END CERTIFICATE-----'

/**
 * The certificate authorities that are trusted besides the usual ones; undefined where none are named.
 * @returns PEM
 * @throws CliError of code `usage`, naming where the file is named
 */
export async function readCa({ ca_cert: setting }: Settings): Promise<string | undefined> {
  return setting && (await readCaFile(setting.value, placeOf('ca_cert', setting)))
}

/** The path of such a file as it is stored: the same from every folder. @throws CliError where it cannot be used */
export async function storableCaFile(path: string): Promise<string> {
  await readCaFile(path, 'ca_cert')
  return resolve(path)
}

/**
 * The certificate authorities in a PEM file, each of them checked: TLS leaves out in silence what it cannot read.
 * @param named where the file is named: a flag, or a setting of a profile
 * @throws CliError of code `usage`
 */
async function readCaFile(path: string, named: string): Promise<string> {
  const pem = await readFile(path, 'utf8').catch((error: unknown) => {
    const hint = named.startsWith('ca_cert of') ? 'fh config set ca_cert FILE names another' : 'Name a PEM file'
    throw usageError(`${named}: ${path} cannot be read: ${reasonOf(error)}`, hint)
  })
  const certificates = pem.split(BEGIN).slice(1)
  if (certificates.length === 0) {
    throw usageError(`${named}: ${path} holds no certificate in PEM form`, `It has to contain ${BEGIN}`)
  }
  const { X509Certificate } = await import('node:crypto')
  for (const [index, text] of certificates.entries()) {
    const [body = '', ...rest] = text.split(END)
    const place = `${named}: ${path}: certificate ${index + 1} of ${certificates.length}`
    if (rest.length === 0) throw usageError(`${place} is cut off`, `It has to end with ${END}`)
    try {
      new X509Certificate(`${BEGIN}${body}${END}`)
    } catch {
      throw usageError(`${place} is damaged`, 'Get the file anew from whoever runs the service')
    }
  }
  return pem
}
