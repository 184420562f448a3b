import { onTestFinished, vi } from 'vitest'

/** Fakes the global timers, or these alone, until the test ends. */
export function fakeTimers(...toFake: readonly ('Date' | 'setTimeout' | 'clearTimeout')[]): void {
  vi.useFakeTimers(toFake.length === 0 ? {} : { toFake: [...toFake] })
  onTestFinished(() => void vi.useRealTimers())
}
