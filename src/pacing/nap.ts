import type { Clock } from '../clock.ts'

/** Sleeps until it is time to read again, or until an ending of this process wakes it. */
export async function nap(
  ms: number,
  { clock, sleepers, signal }: { clock: Clock; sleepers: Set<() => void>; signal: AbortSignal | undefined },
): Promise<void> {
  const woken = new AbortController()
  const wake = () => woken.abort()
  sleepers.add(wake)
  signal?.addEventListener('abort', wake, { once: true })
  try {
    await clock.sleep(ms, woken.signal)
  } catch (error) {
    if (!woken.signal.aborted) throw error
  } finally {
    sleepers.delete(wake)
    signal?.removeEventListener('abort', wake)
  }
}
