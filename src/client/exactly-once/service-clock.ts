import type { Clock } from '../../clock.ts'
import { agedOffset, bothOffsets, type ClockOffset, toldOffset } from '../../pacing/quota-model/service-clock.ts'
import type { Upload } from '../../protocol/resources.ts'
import type { ClientEvent } from '../events.ts'
import { creationSpan, type TimeSpan } from './created-at.ts'

/** An instant of this process, as it was known when it was the present. */
export interface Moment {
  /** Milliseconds by the client's clock. */
  readonly at: number
  readonly era: Era
  /** What the service's clock had passed by then, in epoch milliseconds. */
  readonly passed: number
  /** How often the service had told the time. */
  readonly told: number
}

/** What was known of the offset between two clocks until one of them was set. */
interface Era {
  offset: ClockOffset | undefined
  next: Era | undefined
}

/** What is known of the service's clock: the one place where it is learned. */
export interface ServiceClock {
  /** Learns from the Date header of an answer, told at the moment its headers are in. */
  observe(event: ClientEvent): void
  /** The service has answered an upload that was sent since then: where no answer has a Date, its `created_at` tells. */
  stored(upload: Upload, sentAt: number): void
  /** The list shows these: where no answer has a Date, it is later than all of them. */
  listed(uploads: readonly Upload[]): void
  moment(): Moment
  /**
   * When a moment was, by the service's clock, whichever clock was set meanwhile. Without a steady clock it lies between
   * what the service had told before and the present.
   */
  when(moment: Moment): TimeSpan
  /** The same of an instant that another process has told, by this client's clock. */
  whenTold(at: number): TimeSpan
  /** The present, at the latest; no local clock has a say in it that may be set. */
  latest(): number
  /** Whether no setting of this machine's clock can move the client's. */
  readonly isSteady: boolean
}

/** A service that keeps local times shows some of them wrong by an hour around the change of the clocks. */
const LOCAL_TIME_MS = 3_600_000
/** Several machines may write the Date header. */
const PASSED_SLACK_MS = 1_000
/** The Date header cuts off what is beyond the second. */
const WHOLE_SECOND_MS = 1_000
/** By so much a clock may be set while nothing shows it. */
const UNSEEN_STEP_MS = 7 * 86_400_000

/** @param clock a steady one where there is one */
export function createServiceClock(clock: Clock): ServiceClock {
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
    isSteady,
    observe(event) {
      if (event.type !== 'response' || event.report.serverNow === undefined) return
      const { serverNow } = event.report
      const answeredAt = clock.now()
      // What was concluded from other times was a guess beside this.
      if (tellings === 0) era.offset = undefined
      lastTold = tellings === 0 ? serverNow + WHOLE_SECOND_MS : Math.max(lastTold, serverNow + WHOLE_SECOND_MS)
      tellings += 1
      learn(toldOffset({ serverNow, sentAt: answeredAt - event.durationMs, answeredAt }))
      pass(serverNow - PASSED_SLACK_MS)
    },
    stored(upload, sentAt) {
      const span = creationSpan(upload)
      if (tellings > 0 || span === undefined) return
      const at = clock.now()
      const told = { least: span.from - LOCAL_TIME_MS - at, most: span.to - sentAt, at }
      pass(span.from - LOCAL_TIME_MS)
      // An upload that the service had already says no more than that it is later than that.
      const isOld = era.offset !== undefined && told.most < era.offset.least
      learn(isSteady && isOld ? { ...told, most: Number.POSITIVE_INFINITY } : told)
    },
    listed(uploads) {
      const latest = Math.max(...uploads.map((upload) => creationSpan(upload)?.from ?? Number.NEGATIVE_INFINITY))
      if (tellings > 0 || latest === Number.NEGATIVE_INFINITY) return
      const at = clock.now()
      pass(latest - LOCAL_TIME_MS)
      learn({ least: latest - LOCAL_TIME_MS - at, most: Number.POSITIVE_INFINITY, at })
    },
    moment: () => ({ at: clock.now(), era, passed, told: tellings }),
    when({ at, era: first, passed: before, told }) {
      const offsets: ClockOffset[] = []
      for (let one: Era | undefined = first; one !== undefined; one = one.next) if (one.offset) offsets.push(one.offset)
      const span = spanOf(at, offsets)
      if (isSteady) return span
      const from = before > Number.NEGATIVE_INFINITY ? before : span.from - UNSEEN_STEP_MS
      return { from, to: Math.max(from, tellings > told ? latest() : Number.POSITIVE_INFINITY) }
    },
    whenTold,
    latest,
  }
}
