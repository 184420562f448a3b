import { type Command, InvalidArgumentError } from 'commander'
import { isKey } from '../../../protocol/endpoints.ts'
import { usageError } from '../../failures/cli-error.ts'

/** TLS, the address of the website, and access to the control API. */
export interface EmulatorExposure {
  /** Paths of PEM files; absent = plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string }
  readonly siteUrl?: string
  /** Default: generated. */
  readonly controlToken?: string
}

/** The flags as commander returns them. */
export interface ExposureFlags {
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly siteUrl?: string
  readonly controlToken?: string
}

export function registerExposure(command: Command): Command {
  return command
    .option('--tls-cert <file>', 'use https with this certificate (PEM)')
    .option('--tls-key <file>', 'private key of the certificate (PEM)')
    .option('--site-url <url>', 'address of the website in links (the emulator itself)', checkSiteUrl)
    .option('--control-token <token>', 'token for the control API from other machines (generated)', checkToken)
}

export function toExposure({ tlsCert, tlsKey, siteUrl, controlToken }: ExposureFlags): EmulatorExposure {
  if ((tlsCert === undefined) !== (tlsKey === undefined)) throw usageError('Give --tls-cert and --tls-key together')
  return {
    ...(tlsCert !== undefined && tlsKey !== undefined && { tls: { cert: tlsCert, key: tlsKey } }),
    ...(siteUrl !== undefined && { siteUrl }),
    ...(controlToken !== undefined && { controlToken }),
  }
}

/** Whether only this machine can reach a server on this host. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host)
}

function checkSiteUrl(text: string): string {
  const isSite = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
  if (isSite) return text.replace(/(?<!\/)\/+$/, '')
  throw new InvalidArgumentError('Give an http or https URL.')
}

function checkToken(text: string): string {
  if (isKey(text)) return text
  throw new InvalidArgumentError('A token has no spaces and no special letters.')
}
