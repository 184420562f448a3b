import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { reasonOf } from '../../system/system-errors.ts'
import { usageError } from '../failures/cli-error.ts'
import { type GivenSettings, placeOf } from './settings.ts'

const BEGIN = '-----BEGIN CERTIFICATE-----'

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
  const wrong = (what: string) => usageError(`${named}: ${path}${what}`, 'Name a PEM file of certificates')
  const pem = await readFile(path, 'utf8').catch((error: unknown) => {
    throw wrong(` cannot be read: ${reasonOf(error)}`)
  })
  const certificates = pem.split(BEGIN).slice(1)
  if (certificates.length === 0) throw wrong(' holds no certificate in PEM form')
  const { X509Certificate } = await import('node:crypto')
  for (const [index, text] of certificates.entries()) {
    try {
      new X509Certificate(BEGIN + text)
    } catch {
      throw wrong(`: certificate ${index + 1} of ${certificates.length} is damaged or cut off`)
    }
  }
  return pem
}
