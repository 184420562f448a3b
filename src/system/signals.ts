import { setMaxListeners } from 'node:events'

/** A signal that aborts with the first of these, whichever environment's classes they are of. */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  const { any } = AbortSignal as Partial<typeof AbortSignal>
  return any === undefined ? following(signals) : any.call(AbortSignal, signals.map(ownSignal))
}

/** For environments without `AbortSignal.any`, such as edge-runtime in a context of its own. */
function following(signals: readonly AbortSignal[]): AbortSignal {
  const first = new AbortController()
  for (const signal of signals) {
    const abort = () => first.abort(reasonOf(signal))
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  }
  return first.signal
}

/**
 * The signal itself, or one of this environment's class that follows it: jsdom, for example, has a class of its own, which
 * Node refuses.
 */
export function ownSignal(signal: AbortSignal): AbortSignal {
  if (isOwn(signal)) return signal
  return following([signal])
}

function isOwn(signal: unknown): boolean {
  return signal instanceof AbortSignal
}

/** The reason of an abort that no caller sees: cheaper than the error that an abort without a reason makes. */
export const over = 'over'

/** Lets any number of calls listen to one signal: by default Node warns of a leak at more than ten listeners. */
export function shareSignal(signal: AbortSignal | undefined): void {
  if (signal === undefined) return
  try {
    setMaxListeners(0, signal)
  } catch {
    // Node takes only signals of its own class, and warns of no others.
  }
}

/** Older environments have signals without a reason. */
function reasonOf({ reason }: AbortSignal): unknown {
  return reason ?? new DOMException('This operation was aborted', 'AbortError')
}
