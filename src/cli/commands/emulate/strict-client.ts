import { CliError } from '../../failures/cli-error.ts'

/** The part of the emulator's etiquette report that is used here. */
export interface EtiquetteFindings {
  readonly findings: readonly {
    readonly kind: string
    readonly count: number
    readonly units: number
    /** How to fix the client. */
    readonly advice: string
    /** The latest ones, oldest first. */
    readonly requests: readonly { readonly method: string; readonly endpoint: string; readonly at: string }[]
  }[]
}

const violationPhrases: Readonly<Record<string, string>> = {
  before_retry_after: 'came before Retry-After had passed',
  without_remaining: 'cost more than X-RateLimit-Remaining had left',
  key_in_query: 'had the API key in the query',
  duplicate_upload: 'stored the same bytes again',
  wasted_units: 'cost units without effect',
}

/** One failure for each kind of finding. */
export function clientFailures({ findings }: EtiquetteFindings): readonly CliError[] {
  return findings.map(({ kind, count, units, advice, requests }) => {
    const [first] = requests
    const example = first === undefined ? '' : `, such as ${first.method} ${first.endpoint} at ${first.at}`
    const spent = units === 0 ? '' : ` (${units} ${units === 1 ? 'unit' : 'units'})`
    const many = `${count} ${count === 1 ? 'request' : 'requests'}`
    return new CliError('client-misbehaved', `${many} ${violationPhrases[kind] ?? kind}${spent}${example}`, {
      hint: advice,
    })
  })
}

/** The exit code of a run with --strict-client: 1 if a successful run has failures, else its own code. */
export function strictCode(code: number, failures: readonly CliError[]): number {
  return code === 0 && failures.length > 0 ? 1 : code
}
