import type { Clock } from '../../clock.ts'
import { agedOffset, bothOffsets, type ClockOffset, toldOffset } from '../../pacing/quota-model/clock-offset.ts'
import type { Upload } from '../../protocol/resources.ts'
import { creationSpan, type TimeSpan } from './created-at.ts'

/** An instant of this process, with what was known about the service's clock at that time. */
export interface Moment {
  /** Milliseconds by the client's clock. */
  readonly at: number
  readonly era: Era
  /** The latest time that the service's clock had reached for certain, in epoch milliseconds. */
  readonly passed: number
  /** How many answers had a Date. */
  readonly told: number
}

/** The time between two settings of a clock, with the offset that was valid then. */
interface Era {
  offset: ClockOffset | undefined
  next: Era | undefined
}

/** A service that stores local times shows some of them an hour off around a daylight saving change. */
const LOCAL_TIME_MS = 3_600_000
/** Several machines, with slightly different clocks, may write the Date header. */
const PASSED_SLACK_MS = 1_000
/** The Date header has whole seconds, rounded down. */
const WHOLE_SECOND_MS = 1_000
/** A week: a clock may have been set by this much between two processes without a trace. */
export const UNSEEN_STEP_MS = 7 * 86_400_000

/** @param clock a steady one, if the client's clock has a monotonic time */
export function createServiceClock(clock: Clock) {
  const isSteady = clock.monotonic !== undefined
  let era: Era = { offset: undefined, next: undefined }
  let passed = Number.NEGATIVE_INFINITY
  let tellings = 0
  let lastTold = Number.POSITIVE_INFINITY

  function learn(told: ClockOffset): void {
    const both = era.offset === undefined ? told : bothOffsets(era.offset, told)
    if (both !== undefined) {
      era.offset = both
      return
    }
    era.next = { offset: told, next: undefined }
    era = era.next
  }

  function pass(serviceNow: number): void {
    passed = Math.max(passed, serviceNow)
  }

  function spanOf(at: number, offsets: readonly ClockOffset[]): TimeSpan {
    const aged = offsets.map((offset) => agedOffset(offset, clock.now()))
    if (aged.length === 0) return { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }
    return {
      from: at + Math.min(...aged.map(({ least }) => least)),
      to: at + Math.max(...aged.map(({ most }) => most)),
    }
  }

  function whenTold(at: number): TimeSpan {
    return spanOf(at, era.offset === undefined ? [] : [era.offset])
  }

  function latest(): number {
    return isSteady ? whenTold(clock.now()).to : lastTold
  }

  return {
    /** Whether the client's clock has a monotonic time, which no setting moves. */
    isSteady,
    /** Learns from the Date header of an answer; call it when the headers are in, `durationMs` after the request was sent. */
    told(serverNow: number, durationMs: number) {
      const answeredAt = clock.now()
      // A Date is exact; what was concluded from `created_at` until now is not.
      if (tellings === 0) era.offset = undefined
      lastTold = tellings === 0 ? serverNow + WHOLE_SECOND_MS : Math.max(lastTold, serverNow + WHOLE_SECOND_MS)
      tellings += 1
      learn(toldOffset({ serverNow, sentAt: answeredAt - durationMs, answeredAt }))
      pass(serverNow - PASSED_SLACK_MS)
    },
    /** Learns from the `created_at` of an upload that was sent at `sentAt` and answered now, if no answer had a Date. */
    stored(upload: Upload, sentAt: number) {
      const span = creationSpan(upload)
      if (tellings > 0 || span === undefined) return
      const at = clock.now()
      const told = { least: span.from - LOCAL_TIME_MS - at, most: span.to - sentAt, at }
      pass(span.from - LOCAL_TIME_MS)
      // The service may answer with an older upload of the same content: then its clock is later by an unknown time.
      const isOld = era.offset !== undefined && told.most < era.offset.least
      learn(isSteady && isOld ? { ...told, most: Number.POSITIVE_INFINITY } : told)
    },
    /** Learns from the list, if no answer had a Date: the service's time is later than these uploads. */
    listed(uploads: readonly Upload[]) {
      const latest = Math.max(...uploads.map((upload) => creationSpan(upload)?.from ?? Number.NEGATIVE_INFINITY))
      if (tellings > 0 || latest === Number.NEGATIVE_INFINITY) return
      const at = clock.now()
      pass(latest - LOCAL_TIME_MS)
      learn({ least: latest - LOCAL_TIME_MS - at, most: Number.POSITIVE_INFINITY, at })
    },
    moment: (): Moment => ({ at: clock.now(), era, passed, told: tellings }),
    /**
     * The service's time at a moment, even if a clock was set since. Without a steady clock it is between the service's last
     * Date before the moment and its last Date so far, if one came after the moment.
     */
    when({ at, era: first, passed: before, told }: Moment): TimeSpan {
      const offsets: ClockOffset[] = []
      for (let one: Era | undefined = first; one !== undefined; one = one.next) if (one.offset) offsets.push(one.offset)
      const span = spanOf(at, offsets)
      if (isSteady) return span
      const from = before > Number.NEGATIVE_INFINITY ? before : span.from - UNSEEN_STEP_MS
      return { from, to: Math.max(from, tellings > told ? latest() : Number.POSITIVE_INFINITY) }
    },
    /** The service's time at an instant of this client's clock, as another process stored it. */
    whenTold,
    /**
     * The service's time now by what Dates or uploads have shown, as early as it may be but for a change of daylight saving:
     * a wait for an instant by it is not too short. Undefined before either has bounded it.
     */
    now(): number | undefined {
      const at = clock.now()
      const { from, to } = whenTold(at)
      if (!Number.isFinite(to)) return undefined
      return tellings > 0 ? from : Math.min(from + LOCAL_TIME_MS, to)
    },
    /** The service's time now, at the latest; does not depend on a local clock that can be set. */
    latest,
  }
}

/** Learns how far the service's clock is ahead of this client's. */
export type ServiceClock = ReturnType<typeof createServiceClock>
