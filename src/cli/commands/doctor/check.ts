import { exitCodeOf } from '../../failures/exit-codes.ts'
import { describeFailure } from '../../failures/failure.ts'

/** The result of one check. */
export interface Check {
  readonly name:
    | 'config'
    | 'permissions'
    | 'state'
    | 'ledger'
    | 'runners'
    | 'ledger-clock'
    | 'address'
    | 'proxy'
    | 'dns'
    | 'tls'
    | 'key'
    | 'clock'
    | 'list'
  /** `skip`: not possible, or pointless after an earlier failure. */
  readonly status: 'ok' | 'warn' | 'fail' | 'skip'
  readonly message: string
  /** How to fix it. */
  readonly hint: string | null
  /** For a failure, the exit code that other commands would end with; else 0. */
  readonly exitCode: number
}

type Name = Check['name']

export function ok(name: Name, message: string): Check {
  return { name, status: 'ok', message, hint: null, exitCode: 0 }
}

export function warn(name: Name, message: string, hint: string): Check {
  return { name, status: 'warn', message, hint, exitCode: 0 }
}

export function skip(name: Name, message: string): Check {
  return { name, status: 'skip', message, hint: null, exitCode: 0 }
}

/** Several of them for one reason. */
export function skipAll(names: readonly Name[], message: string): readonly Check[] {
  return names.map((name) => skip(name, message))
}

export function fail(name: Name, error: unknown, hint?: string): Check {
  const failure = describeFailure(error)
  return { name, status: 'fail', message: failure.message, hint: hint ?? failure.hint, exitCode: exitCodeOf(error) }
}
