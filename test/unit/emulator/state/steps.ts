import fc from 'fast-check'
import type { Emulator, EmulatorOptions, FaultAction, GivenFault } from '../../../../emulator/index.ts'
import { jpegBytes } from '../../../helpers/media.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'
import { type SendOptions, send } from '../emulated.ts'

/** A seed of two accounts. */
export const severalAccounts: EmulatorOptions = {
  apiKey: 'first-key',
  clock: 'virtual',
  dialect: 'laravel',
  seed: {
    accounts: [
      { albums: 2, uploads: { count: 3, interval_seconds: 60 } },
      { api_key: 'second-key', email: 'two@example.com', password: 'secret', suspended: true },
    ],
  },
}

type Step = (emulator: Emulator) => unknown
type Operation = (emulator: Emulator, size: number) => unknown

/** Sends a request and reads the answer, ignoring failures caused by faults. */
async function exchange(emulator: Emulator, method: string, path: string, options: SendOptions = {}): Promise<void> {
  await send(emulator, method, path, options)
    .then((response) => response.arrayBuffer())
    .catch(() => {})
}

const upload = (emulator: Emulator, size: number) =>
  exchange(emulator, 'POST', '/api/upload', fileForm(jpegBytes(size)))

/** Acts on the newest upload, if there is one. */
async function withNewest(emulator: Emulator, act: (slug: string) => unknown): Promise<void> {
  const { records } = await emulator.control.state.get()
  const uploads = records['uploads'] as readonly { readonly slug: string }[]
  const slug = uploads.at(-1)?.slug
  if (slug !== undefined) await act(slug)
}

/** Skipped on the system clock, where quotas would take real time. */
async function onceVirtual({ control }: Emulator, act: () => unknown): Promise<void> {
  if (control.clock.get().mode === 'virtual') await act()
}

const actions: readonly [FaultAction, ...FaultAction[]] = [
  { type: 'status', status: 503, body: { error: 'Rest' }, headers: { 'Retry-After': '7', 'X-A': 'é' } },
  { type: 'status', status: 429 },
  { type: 'delay', ms: 1 },
  { type: 'reset_before' },
  { type: 'reset_after_body_bytes', bytes: 20 },
  { type: 'commit_then_drop' },
  { type: 'truncate_response', bytes: 3 },
  { type: 'malformed_json' },
  { type: 'wrong_content_length', bytes: -2 },
  { type: 'html_error' },
  { type: 'slow_body', ms: 1, bytes: 200 },
  { type: 'early_response', bytes: 5, body: 'text' },
]

function someFault(size: number): GivenFault {
  const action = actions[size % actions.length] ?? actions[0]
  const match = [{}, { method: 'post' }, { path: '/api/*s', nth: 2 }, { account_id: 1 }][size % 4] ?? {}
  return { match, times: size % 5 === 0 ? null : (size % 3) + 1, action }
}

const operations: readonly Operation[] = [
  (emulator, size) => upload(emulator, size + 4),
  (emulator) => upload(emulator, 77),
  (emulator) => exchange(emulator, 'GET', '/api/uploads'),
  (emulator) => exchange(emulator, 'GET', '/api/uploads/%C3%A4%20%2F"'),
  (emulator) => emulator.fetch(new Request(`http://h/api/stats?api_key=${emulator.apiKey}`)).catch(() => {}),
  (emulator) => exchange(emulator, 'PUT', '/api/nothing', { headers: { 'X-Api-Key': 'nobody' } }),
  (emulator, size) =>
    onceVirtual(emulator, async () => {
      for (let sent = 0; sent < size; sent += 1) await exchange(emulator, 'GET', '/api/stats')
    }),
  (emulator) => withNewest(emulator, (slug) => exchange(emulator, 'DELETE', `/api/uploads/${slug}`)),
  (emulator) => withNewest(emulator, (slug) => emulator.control.uploads.update(slug, { title: 'T', views: 3 })),
  (emulator) => withNewest(emulator, (slug) => emulator.control.uploads.update(slug, { thumbnail: 'ready' })),
  ({ control }, size) =>
    control.accounts.list().some(({ id }) => id === 1) &&
    control.accounts.addUploads(1, { count: size + 1, interval_seconds: 0.5 }),
  ({ control }) => control.accounts.create(),
  ({ control }, size) =>
    control.accounts.list().some(({ id }) => id === 1) &&
    control.accounts.update(1, { albums: size, quotas: { burst: size }, ip_allowlist: ['127.0.0.1'] }),
  ({ control }) => control.accounts.list().some(({ id }) => id === 1) && control.accounts.regenerateKey(1),
  ({ control }) =>
    control.accounts.list().length > 1 && control.accounts.delete(control.accounts.list().at(-1)?.id ?? 0),
  ({ control }) => control.settings.update({ api_enabled: false }),
  ({ control }, size) =>
    control.settings.update({ api_enabled: true, quota_windows: 'sliding', thumbnail_delay_ms: size }),
  ({ control }, size) =>
    control.settings.update({ quota_windows: size % 2 === 0 ? 'token_bucket' : 'sliding_counter' }),
  (emulator, size) => onceVirtual(emulator, () => emulator.control.clock.advance(size * 1_000)),
  (emulator) => onceVirtual(emulator, () => emulator.control.clock.set('2024-02-29T00:00:00Z')),
  ({ control }) => control.clock.switchTo('system'),
  ({ control }) => control.clock.switchTo('virtual'),
  ({ control }) => control.requests.clear({ status: 401 }),
  ({ control }, size) => control.faults.set([someFault(size)]),
  ({ control }, size) => control.faults.set([someFault(size), someFault(size + 1), someFault(size + 7)]),
  async ({ control }) => control.state.restore(await control.state.get()),
  ({ control }) => control.reset(),
]

/** Any operation on an emulator. */
export const anyStep: fc.Arbitrary<Step> = fc
  .tuple(fc.nat({ max: operations.length - 1 }), fc.nat({ max: 40 }))
  .map(([at, size]) =>
    Object.assign((emulator: Emulator) => operations[at]?.(emulator, size), {
      toString: () => `operations[${at}] with ${size}`,
    }),
  )
