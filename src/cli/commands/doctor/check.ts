import { exitCodeOf } from '../../failures/exit-codes.ts'
import { describeFailure } from '../../failures/failure.ts'

/** What was found out about one thing that has to be right. */
export interface Check {
  readonly name: 'config' | 'permissions' | 'state' | 'address' | 'proxy' | 'dns' | 'tls' | 'key' | 'clock' | 'list'
  /** `skip` — could not be looked at, because of what failed before. */
  readonly status: 'ok' | 'warn' | 'fail' | 'skip'
  readonly message: string
  /** What to do about it. */
  readonly hint: string | null
  /** Of a failure: the exit code a command would end with. */
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

export function fail(name: Name, error: unknown, hint?: string): Check {
  const failure = describeFailure(error)
  return { name, status: 'fail', message: failure.message, hint: hint ?? failure.hint, exitCode: exitCodeOf(error) }
}
