import type { EmulatorClock } from '../clock.ts'
import type { Admission, Applicant } from '../http/admission.ts'
import { ConnectionResetError } from '../http/request/request-body.ts'
import type { HttpReply } from '../http-types.ts'
import type { SettingsStore } from '../settings/settings.ts'
import type { FaultAction } from './fault.ts'
import { meetFault } from './fault-answers.ts'
import type { FaultBook, FaultPost } from './fault-book.ts'
import { distort } from './fault-distortions.ts'

/** Where requests meet faults, each step asked only where a fault may strike there. */
export interface FaultGate {
  /** @throws ConnectionResetError where the request is struck as it arrives */
  arrive(applicant: Applicant): void
  /**
   * Where the quota is asked next.
   * @returns what is answered in the service's place; undefined where it goes on
   * @throws ConnectionResetError where the connection is to break
   */
  meet(applicant: Applicant, body: AsyncIterable<Uint8Array>): Promise<HttpReply | undefined>
  /**
   * The finished answer as the client is to have it.
   * @throws ConnectionResetError where it is to have none
   */
  leave(applicant: Applicant, reply: HttpReply): HttpReply
}

interface FaultGateContext {
  readonly faults: FaultBook
  readonly admission: Admission
  readonly settings: SettingsStore
  readonly clock: EmulatorClock
  /** Lets milliseconds pass, unless the client goes away first. */
  delay(ms: number, request: Applicant['request']): Promise<void>
}

export function createFaultGate({ faults, admission, settings, clock, delay }: FaultGateContext): FaultGate {
  const strike = (post: FaultPost, applicant: Applicant): FaultAction | undefined => {
    const { method, endpoint } = applicant.entry
    const action = faults.strike(post, { method, endpoint, accountId: admission.lookUp(applicant)?.id ?? null })
    if (action === undefined) return undefined
    // Whoever filters the log by account finds what struck it.
    admission.accountOf(applicant)
    applicant.strike = action
    applicant.entry.fault = action.type
    return action
  }

  return {
    arrive(applicant) {
      if (strike('arrival', applicant) === undefined) return
      throw new ConnectionResetError('The connection was broken before the request was read, as a fault wants it')
    },
    async meet(applicant, body) {
      const action = strike('gate', applicant)
      if (action === undefined) return undefined
      const { request } = applicant
      const pass = (ms: number) => delay(ms, request)
      return meetFault(action, { request, body, settings: settings.current, now: clock.now(), pass })
    },
    leave: ({ strike, request }, reply) => (strike === undefined ? reply : distort(strike, reply, { request, clock })),
  }
}
