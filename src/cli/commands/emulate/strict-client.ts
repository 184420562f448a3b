import { CliError } from '../../failures/cli-error.ts'

/** What an emulator found of how its clients behaved. */
export interface EtiquetteFindings {
  readonly findings: readonly {
    readonly kind: string
    readonly count: number
    readonly units: number
    /** What to do about it. */
    readonly advice: string
    /** The latest of them, oldest first. */
    readonly requests: readonly { readonly method: string; readonly endpoint: string; readonly at: string }[]
  }[]
}

const sins: Readonly<Record<string, string>> = {
  before_retry_after: 'came before Retry-After was over',
  without_remaining: 'cost more than X-RateLimit-Remaining had said is left',
  key_in_query: 'had the API key in the query',
  duplicate_upload: 'stored the same bytes again',
  wasted_units: 'did nothing but cost units',
}

/** One failure for each kind of finding; none where the clients behaved. */
export function clientFailures({ findings }: EtiquetteFindings): readonly CliError[] {
  return findings.map(({ kind, count, units, advice, requests }) => {
    const [first] = requests
    const example = first === undefined ? '' : `, such as ${first.method} ${first.endpoint} at ${first.at}`
    const spent = units === 0 ? '' : ` (${units} ${units === 1 ? 'unit' : 'units'})`
    const many = `${count} ${count === 1 ? 'request' : 'requests'}`
    return new CliError('client-misbehaved', `${many} ${sins[kind] ?? kind}${spent}${example}`, { hint: advice })
  })
}

/** The exit code of a run whose clients had to behave: a run that failed anyway keeps its own. */
export function strictCode(code: number, failures: readonly CliError[]): number {
  return code === 0 && failures.length > 0 ? 1 : code
}
