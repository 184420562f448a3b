import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** The process that began something, told apart from all others that may read of it; '' where a part is not known. */
export interface ProcessOwner {
  /** Stands for the host's name. */
  readonly host: string
  /** Stands for the time since the machine was started. */
  readonly boot: string
  /** Where its process id counts: containers of one machine have ids of their own. */
  readonly space: string
  readonly pid: number
  /** When it began, since a process id is used again. */
  readonly start: string
}

/** What became of the process that has an id now. */
export type ProcessState =
  | { readonly type: 'none' }
  /** `start` is '' where the system does not tell. */
  | { readonly type: 'running'; readonly start: string }

/** How long an owner is taken to be at work that cannot be looked for. */
const OUT_OF_SIGHT_MS = 600_000
/** The same where there is a process of that id, which may be another one. */
const PERHAPS_ANOTHER_MS = 21_600_000

/**
 * Whether a process will not end what it began any more.
 *
 * @param ageMs how long ago it began
 * @param me the process that asks
 */
export function isGone(
  owner: ProcessOwner,
  ageMs: number,
  me = thisProcess(),
  stateOf: (pid: number) => ProcessState = processState,
): boolean {
  if (owner.host !== me.host) return Math.abs(ageMs) > OUT_OF_SIGHT_MS
  if (owner.boot !== me.boot) return true
  if (owner.space !== me.space) return Math.abs(ageMs) > OUT_OF_SIGHT_MS
  if (owner.pid === me.pid) return owner.start !== me.start
  const state = stateOf(owner.pid)
  if (state.type === 'none') return true
  return owner.start === '' || state.start === '' ? ageMs > PERHAPS_ANOTHER_MS : owner.start !== state.start
}

/** Reads an owner that was written as JSON; undefined for what is none. */
export function parseOwner(text: string): ProcessOwner | undefined {
  try {
    return toOwner(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** An owner as it was parsed from JSON; undefined for what is none. */
export function toOwner(value: unknown): ProcessOwner | undefined {
  const { host, boot, space, pid, start } = Object(value)
  const isNamed = [host, boot, space, start].every((part) => typeof part === 'string')
  return isNamed && typeof pid === 'number' && pid >= 0 ? { host, boot, space, pid, start } : undefined
}

/** This process as an owner. */
export function thisProcess(): ProcessOwner {
  const own = processState(process.pid)
  return {
    host: digest(hostname()),
    boot: digest(reading(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))),
    space: reading(() => readlinkSync('/proc/self/ns/pid')).replace(/\D/g, ''),
    pid: process.pid,
    start: own.type === 'running' ? own.start : '',
  }
}

/** A process that has ended, but whose parent has not heard of it yet, is none. */
export function processState(pid: number): ProcessState {
  // Its name, in parentheses, may hold anything; the state and 18 fields later the start in ticks follow it.
  const stat = reading(() => readFileSync(`/proc/${pid}/stat`, 'latin1'))
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X' || !exists(pid)) return { type: 'none' }
  return { type: 'running', start: fields[19] ?? '' }
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function digest(text: string): string {
  return text === '' ? '' : createHash('sha256').update(text).digest('hex').slice(0, 8)
}

/** What a system without /proc does not tell is ''. */
function reading(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
