import { type Command, InvalidArgumentError } from 'commander'
import { isKey } from '../../../internal.ts'
import { usageError } from '../../failures/cli-error.ts'

/** How the emulator is reached beside its address: TLS, the website's own address, and who may control it. */
export interface EmulatorExposure {
  /** Paths of PEM files; plain HTTP without. */
  readonly tls?: { readonly cert: string; readonly key: string }
  readonly siteUrl?: string
  /** Generated unless given. */
  readonly controlToken?: string
}

/** What commander makes of the flags. */
export interface ExposureFlags {
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly siteUrl?: string
  readonly controlToken?: string
}

export function registerExposure(command: Command): Command {
  return command
    .option('--tls-cert <file>', 'speak https with this certificate (PEM)')
    .option('--tls-key <file>', 'the key of the certificate (PEM)')
    .option('--site-url <url>', 'where links to the website point (the emulator itself)', checkSiteUrl)
    .option('--control-token <token>', 'lets other machines use the control API (generated)', checkToken)
}

export function toExposure({ tlsCert, tlsKey, siteUrl, controlToken }: ExposureFlags): EmulatorExposure {
  if ((tlsCert === undefined) !== (tlsKey === undefined)) throw usageError('Give --tls-cert and --tls-key together')
  return {
    ...(tlsCert !== undefined && tlsKey !== undefined && { tls: { cert: tlsCert, key: tlsKey } }),
    ...(siteUrl !== undefined && { siteUrl }),
    ...(controlToken !== undefined && { controlToken }),
  }
}

/** Whether an emulator on this host is out of reach for other machines. */
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
