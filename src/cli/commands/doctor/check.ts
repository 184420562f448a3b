import { describeFailure } from '../../failures/failure.ts'
import { formatDuration } from '../../format/format.ts'

export interface CheckResult {
  /** `skip`: not possible, or pointless after an earlier failure. */
  readonly status: 'ok' | 'warn' | 'fail' | 'skip'
  readonly message: string
  /** How to fix it. */
  readonly hint: string | null
  /** For a failure, the exit code that other commands would end with; else 0. */
  readonly exitCode: number
  /** Whether the checks after this failure can be made all the same. */
  readonly goesOn?: true
}

export type Check = CheckResult & { readonly name: string }

/** Looks at one thing. What it throws is a failure. */
export type Look = () => CheckResult | Promise<CheckResult>

export function ok(message: string): CheckResult {
  return { status: 'ok', message, hint: null, exitCode: 0 }
}

export function warn(message: string, hint: string): CheckResult {
  return { status: 'warn', message, hint, exitCode: 0 }
}

export function skip(message: string): CheckResult {
  return { status: 'skip', message, hint: null, exitCode: 0 }
}

export function fail(error: unknown, hint?: string): CheckResult {
  const { message, hint: usualHint, exitCode } = describeFailure(error)
  return { status: 'fail', message, hint: hint ?? usualHint, exitCode }
}

/** Covers the whole seconds of a Date header, and what is usual between machines. */
const TOLERATED_SKEW_MS = 5_000

/** @param aheadMs how far this machine's clock is ahead of the other, of `whose` */
export function clockVerdict(aheadMs: number, whose: string): CheckResult {
  if (Math.abs(aheadMs) <= TOLERATED_SKEW_MS) return ok(`agrees with ${whose} clock`)
  const off = `${formatDuration(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'}`
  const hint = 'Set the clock, or enable network time: waits for quota depend on it'
  return warn(`This machine's clock is ${off} ${whose}`, hint)
}

/** Makes checks by their names, one after the other; once one has failed, the others are skipped. */
export async function inTurn(looks: Readonly<Record<string, Look>>, reason?: string): Promise<readonly Check[]> {
  const checks: Check[] = []
  let why = reason
  for (const [name, look] of Object.entries(looks)) {
    const verdict = why === undefined ? await judged(look) : skip(why)
    if (verdict.status === 'fail' && !verdict.goesOn) why ??= `see the ${name} check`
    checks.push({ name, ...verdict })
  }
  return checks
}

/** The checks that do not depend on each other. */
export async function each(looks: Readonly<Record<string, Look>>): Promise<readonly Check[]> {
  return await Promise.all(Object.entries(looks).map(async ([name, look]) => ({ name, ...(await judged(look)) })))
}

async function judged(look: Look): Promise<CheckResult> {
  try {
    return await look()
  } catch (error) {
    return fail(error)
  }
}
