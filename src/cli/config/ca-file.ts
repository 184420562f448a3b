import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { reasonOf } from '../../system/system-errors.ts'
import { usageError } from '../failures/cli-error.ts'
import { type GivenSettings, placeOf } from './settings.ts'

const BEGIN = '-----BEGIN CERTIFICATE-----'
const END = '-----END CERTIFICATE-----'

/**
 * The certificate authorities of the setting `ca_cert`, which are trusted besides the usual ones.
 * @returns PEM; undefined where the setting is not set
 * @throws CliError of code `usage`, with the place of the setting
 */
export async function readCa({ ca_cert: setting }: GivenSettings): Promise<string | undefined> {
  return setting && (await readCaFile(setting.value, placeOf('ca_cert', setting)))
}

/** Checks a file before its path is stored. @returns its absolute path @throws CliError of code `usage` */
export async function storableCaFile(path: string): Promise<string> {
  await readCaFile(path, 'ca_cert')
  return resolve(path)
}

/**
 * Reads a PEM file and checks each certificate, since TLS silently ignores those it cannot read.
 * @param named the place of the setting: a flag, or a profile
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
      throw usageError(`${place} is damaged`, 'Ask the operator of the service for a new file')
    }
  }
  return pem
}
