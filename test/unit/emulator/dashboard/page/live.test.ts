// @vitest-environment happy-dom
import { expect, onTestFinished, test, vi } from 'vitest'

/** The browser's time, which stands until a test moves it. */
const time = vi.hoisted(() => {
  Object.assign(globalThis, { litIssuedWarnings: new Set(['dev-mode']) })
  return { now: 0, due: [] as { at: number; run: () => unknown }[] }
})

vi.mock('../../../../../emulator/dashboard/assets/page-clock.ts', () => ({
  steadyMs: () => time.now,
  later: (ms: number, run: () => unknown) => void time.due.push({ at: time.now + ms, run }),
}))

/** Long enough for all that was asked to be answered and shown. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setTimeout(resolve))
}

async function pass(ms: number): Promise<void> {
  await settled()
  const end = time.now + ms
  for (;;) {
    const [next] = time.due.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)
    if (next === undefined) break
    time.due.splice(time.due.indexOf(next), 1)
    time.now = next.at
    next.run()
    await settled()
  }
  time.now = end
}

/** The page's program without its drawings, over a control API that has requests, and answers as the test says. */
async function opened(given: { statusOf?: (path: string) => number; slowMs?: number } = {}) {
  const has = { numbers: [] as number[], last: 0, ...given }
  const calls: string[] = []
  let send: (event: string, data: object) => void = () => {}
  const log = () => ({ last: has.last, kept: has.numbers.length, dropped: 0 })
  const answers: Readonly<Record<string, () => unknown>> = {
    '/health': () => ({ version: '1', clock: { now: '2026-01-15T12:00:00.000Z' }, log: log() }),
    '/requests': () => ({ requests: has.numbers.map((number) => ({ number })) }),
    '/accounts': () => [{ id: 1 }],
  }
  const stream = (signal: AbortSignal) =>
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        send = (event, data) =>
          controller.enqueue(new TextEncoder().encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`))
        signal.addEventListener('abort', () => controller.error(signal.reason))
      },
    })
  vi.stubGlobal('fetch', async (asked: string, { method, signal }: RequestInit) => {
    const [path = ''] = asked.replace('/_emulator', '').split('?')
    calls.push(`${method} ${path}`)
    if (path === '/settings') time.now += has.slowMs ?? 0
    const status = has.statusOf?.(path) ?? 200
    const content =
      status === 200 ? (answers[path]?.() ?? {}) : { error: { message: 'The field fault takes a number' } }
    const body = path === '/requests/stream' && signal ? stream(signal) : null
    return { ok: status === 200, status, body, text: async () => JSON.stringify(content) }
  })
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => setTimeout(run))
  Object.assign(time, { now: 0, due: [] })
  vi.resetModules()
  const live = await import('../../../../../emulator/dashboard/assets/live.ts')
  const store = await import('../../../../../emulator/dashboard/assets/store.ts')
  const { call } = await import('../../../../../emulator/dashboard/assets/emulator.ts')
  store.onChange([live.followAddress])
  const visit = (query: string) => {
    store.change({ query })
    return settled()
  }
  onTestFinished(async () => {
    hide(true)
    live.openStream()
    await settled()
    hide(false)
  })
  await visit('?')
  return {
    has,
    live,
    call,
    visit,
    send: (event: string, data: object) => send(event, data),
    come: (...numbers: readonly number[]) => Object.assign(has, { numbers, last: numbers.at(-1) ?? has.last }),
    shown: () => ({ ...store.state.log, rows: store.state.log.rows.map(({ number }) => number) }),
    problem: () => store.state.problems['filter']?.message,
    count: (call: string) => calls.filter((one) => one === call).length,
  }
}

const hide = (hidden: boolean) => Object.defineProperty(document, 'hidden', { value: hidden, configurable: true })

test('a page whose list of requests fails says that it reconnects, and lists them two seconds later', async () => {
  const { has, shown, come, send } = await opened({ statusOf: (path) => (path === '/requests' ? 500 : 200) })
  expect(shown().connection).toBe('none')
  has.statusOf = () => 200
  come(1, 2)
  await pass(2_000)
  expect(shown()).toMatchObject({ connection: 'live', rows: [2, 1] })
  send('request', { number: 3 })
  await settled()
  expect(shown().waiting).toEqual([{ number: 3 }])
})

test('requests that were deleted elsewhere leave the list although as many came since, and those of a log that began anew too', async () => {
  const { live, shown, come } = await opened()
  come(1, 2, 3)
  live.openStream()
  void live.followParts()
  await pass(3_000)
  expect(shown().rows).toEqual([3, 2, 1])
  for (const numbers of [
    [1, 2],
    [3, 4],
  ]) {
    come(...numbers)
    await pass(3_000)
    expect(shown().rows).toEqual(numbers.toReversed())
  }
})

test('what is answered slowly is asked for again after a second at most, and at once after a press', async () => {
  const { live, call, count } = await opened({ slowMs: 3_000 })
  void live.followParts()
  await settled()
  live.refresh()
  await pass(900)
  expect(count('GET /settings')).toBe(1)
  await pass(100)
  expect(count('GET /settings')).toBe(2)
  await call('DELETE', '/faults')
  await settled()
  expect(count('GET /settings')).toBe(3)
})

test('all accounts are asked for at the start, after a press and every five seconds', async () => {
  const { live, call, count } = await opened()
  void live.followParts()
  await pass(4_500)
  expect([count('GET /health') > 3, count('GET /accounts'), count('GET /clock/next')]).toEqual([true, 1, 1])
  await call('DELETE', '/faults')
  await settled()
  expect([count('GET /accounts'), count('GET /clock/next')]).toEqual([2, 2])
  await pass(6_000)
  expect([count('GET /accounts'), count('GET /clock/next')]).toEqual([3, 3])
})

test('a page that may open no stream asks every two seconds, however often it is looked at or its filter changes', async () => {
  const { live, visit, shown, count } = await opened({ statusOf: (path) => (path === '/requests/stream' ? 503 : 200) })
  expect(shown().connection).toBe('polling')
  for (const query of ['?method=GET', '?method=POST', '?method=PUT']) await visit(query)
  live.openStream()
  await settled()
  const before = count('GET /requests/stream')
  await pass(6_000)
  expect(count('GET /requests/stream') - before).toBe(3)
})

test('a wrong filter is said, and nothing else of the list, until another one is asked for', async () => {
  const { has, visit, shown, come, problem } = await opened({
    statusOf: (path) => (path === '/requests/stream' ? 422 : 200),
  })
  await pass(10_000)
  expect([shown().connection, problem()]).toEqual(['refused', 'The field fault takes a number'])
  has.statusOf = () => 200
  come(1)
  await visit('?fault=1')
  expect([shown().connection, shown().rows, problem()]).toEqual(['live', [1], undefined])
})

test('a page that missed requests lists the newest', async () => {
  const { come, send, shown } = await opened()
  come(20_001, 20_002)
  send('request', { number: 1 })
  send('missed', { count: 10_001 })
  await settled()
  expect(shown()).toMatchObject({ connection: 'live', rows: [20_002, 20_001], waiting: [] })
})
