import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { anAmount, anObjectHaving, aText, type ValueOf } from '../checks/values.ts'
import { errorCodeOf } from './system-errors.ts'

/** Identifies a process among all that may share a file, on any machine; an unknown part is ''. */
export const ownerFields = {
  /** A digest of the host's name. */
  host: aText,
  /** A digest of the machine's boot id. */
  boot: aText,
  /** The namespace of its process id: each container has its own. */
  space: aText,
  pid: anAmount,
  /** When it began, because process ids are reused. */
  start: aText,
}

export const processOwner = anObjectHaving(ownerFields)

export type ProcessOwner = ValueOf<typeof processOwner>

export function isSameProcess(one: ProcessOwner, other: ProcessOwner): boolean {
  const parts = ['host', 'boot', 'space', 'pid', 'start'] as const
  return parts.every((part) => one[part] === other[part])
}

/** The process that has an id now. */
export type ProcessState =
  | { readonly type: 'none' }
  /** `start` is '' if the system does not tell. */
  | { readonly type: 'running'; readonly start: string; readonly isStopped?: boolean }

/** How long a process that cannot be looked up counts as running. */
const OUT_OF_SIGHT_MS = 600_000
/** The same if a process has that id, which may be another one. */
const PERHAPS_ANOTHER_MS = 21_600_000

/**
 * Whether a process no longer exists, so that it cannot finish its work.
 *
 * @param ageMs how long ago it began the work
 * @param me this process
 */
export function isGone(
  owner: ProcessOwner,
  ageMs: number,
  me = thisProcess(),
  stateOf: (pid: number) => ProcessState = processState,
): boolean {
  if (owner.host === me.host && owner.boot !== me.boot) return true
  if (!isInSight(owner, me)) return Math.abs(ageMs) > OUT_OF_SIGHT_MS
  if (owner.pid === me.pid) return owner.start !== me.start
  const state = stateOf(owner.pid)
  if (state.type === 'none') return true
  return owner.start === '' || state.start === '' ? ageMs > PERHAPS_ANOTHER_MS : owner.start !== state.start
}

/** Whether a process that runs can be looked up here. A host may be renamed meanwhile: the boot id tells the machine, if known. */
export function isInSight(owner: ProcessOwner, me: ProcessOwner): boolean {
  const isHere = owner.boot === me.boot && (me.boot !== '' || owner.host === me.host)
  return isHere && owner.space === me.space
}

let me: ProcessOwner | undefined

/** Identifies this process. */
export function thisProcess(): ProcessOwner {
  // Runs that share the process of a test have ids of their own.
  if (me?.pid === process.pid) return me
  const own = processState(process.pid)
  me = {
    host: digest(hostname()),
    boot: digest(reading(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))),
    space: reading(() => readlinkSync('/proc/self/ns/pid')).replace(/\D/g, ''),
    pid: process.pid,
    start: own.type === 'running' ? own.start : '',
  }
  return me
}

/** A zombie counts as no process. */
export function processState(pid: number): ProcessState {
  // The name, in parentheses, may hold anything; after it come the state and, 18 fields later, the start in ticks.
  const stat = reading(() => readFileSync(`/proc/${pid}/stat`, 'latin1'))
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X' || !isAlive(pid)) return { type: 'none' }
  return { type: 'running', start: fields[19] ?? '', ...(/^[Tt]$/.test(fields[0] ?? '') && { isStopped: true }) }
}

/** Whether a process exists; one of another user counts too. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCodeOf(error) === 'EPERM'
  }
}

function digest(text: string): string {
  return text === '' ? '' : createHash('sha256').update(text).digest('hex').slice(0, 8)
}

/** Returns '' on a system without /proc. */
function reading(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
