import type { EtiquetteKind, EtiquetteReport } from '../../../../emulator/index.ts'
import { counted } from '../../../protocol/quantities.ts'
import { CliError } from '../../failures/cli-error.ts'

const violationPhrases: Readonly<Record<EtiquetteKind, string>> = {
  before_retry_after: 'came before Retry-After had passed',
  without_remaining: 'cost more than X-RateLimit-Remaining had left',
  key_in_query: 'had the API key in the query',
  duplicate_upload: 'stored the same bytes again',
  wasted_units: 'cost units without effect',
}

/** One failure for each kind of finding. */
export function clientFailures({ findings }: Pick<EtiquetteReport, 'findings'>): readonly CliError[] {
  return findings.map(({ kind, count, units, advice, requests }) => {
    const [first] = requests
    const example = first === undefined ? '' : `, such as ${first.method} ${first.endpoint} at ${first.at}`
    const spent = units === 0 ? '' : ` (${counted(units, 'unit')})`
    const message = `${counted(count, 'request')} ${violationPhrases[kind]}${spent}${example}`
    return new CliError('client-misbehaved', message, { hint: advice })
  })
}

/** The exit code of a run with --strict-client: 1 if a successful run has failures, else its own code. */
export function strictCode(code: number, failures: readonly CliError[]): number {
  return code === 0 && failures.length > 0 ? 1 : code
}
