// What sets the stage of a command line: `env` of the run, options and `uploads` of the emulator, `faults`, and `prelude`,
// commands that run before it. Undefined takes a variable away.

const always = (action, match = {}) => ({ match, times: null, action })
const once = (action, match = {}) => ({ match, times: 1, action })

/** Settings files that the prelude writes. */
const config = (text) => [`mkdir -p "$HOME/.config/fh"`, `printf '%s' '${text}' > "$HOME/.config/fh/config.json"`]

export const stages = {
  // The account
  uploads: {
    uploads: [
      { file: 'photo.jpg', slug: 'Photo00001', created_at: '2026-10-01T08:00:00Z', title: 'A photo' },
      { file: 'clip.mp4', slug: 'Clip000002', created_at: '2026-11-01T08:00:00Z' },
      { file: 'picture.png', slug: 'Pict000003', created_at: '2026-11-20T08:00:00Z', title: 'picture.png' },
    ],
  },
  evil: {
    uploads: [
      {
        file: 'photo.jpg',
        slug: 'Evil000001',
        created_at: '2026-10-01T08:00:00Z',
        title: 'a\u001b[31mred\nline\u202e',
      },
      { file: 'picture.png', slug: '-Dash00002', created_at: '2026-10-02T08:00:00Z', title: '../../up' },
    ],
  },
  many: {
    uploads: [{ count: 120, created_at: '2026-09-01T00:00:00Z', interval_seconds: 3_600 }],
    emulator: { quotas: 'none' },
  },
  suspended: { faults: [always({ type: 'status', status: 403, body: { error: 'Account suspended.' } })] },
  disabled: { emulator: { settings: { api_enabled: false } } },
  laravel: { emulator: { dialect: 'laravel' } },
  hostile: { emulator: { dialect: 'hostile' } },

  // The quota
  tight: { emulator: { quotas: { burst: 2, minute: 4, hour: 10, day: 20 } } },
  'one-left': { emulator: { quotas: { burst: 20, minute: 20, hour: 1, day: 10 } } },
  unlimited: { emulator: { quotas: 'none' } },

  // Faults
  'first-503': { faults: [once({ type: 'status', status: 503 })] },
  'always-503': { faults: [always({ type: 'status', status: 503, headers: { 'Retry-After': '0' } })] },
  'always-500': { faults: [always({ type: 'status', status: 500 })] },
  'always-html': { faults: [always({ type: 'html_error', status: 502 })] },
  'html-200': { faults: [always({ type: 'html_error', status: 200 })] },
  redirects: { faults: [always({ type: 'status', status: 302, headers: { Location: 'https://example.org/' } })] },
  'bad-json': { faults: [always({ type: 'malformed_json' })] },
  resets: { faults: [always({ type: 'reset_before' })] },
  'lost-answer': { faults: [once({ type: 'commit_then_drop' }, { method: 'POST' })] },
  'lost-answers': { faults: [always({ type: 'commit_then_drop' }, { method: 'POST' })] },
  'refused-422': {
    faults: [
      always(
        { type: 'status', status: 422, body: { message: 'The file is invalid.', errors: { file: ['Too odd.'] } } },
        { method: 'POST' },
      ),
    ],
  },
  'refused-413': { faults: [always({ type: 'html_error', status: 413 }, { method: 'POST' })] },
  'second-422': {
    faults: [
      {
        match: { method: 'POST', nth: 2 },
        times: 1,
        action: { type: 'status', status: 422, body: { message: 'No.' } },
      },
    ],
  },
  'second-401': {
    faults: [
      {
        match: { method: 'POST', nth: 2 },
        times: null,
        action: { type: 'status', status: 401, body: { error: 'No.' } },
      },
    ],
  },
  'cut-file': { faults: [once({ type: 'truncate_response', bytes: 1_000 }, { path: '/i/*' })] },
  'site-404': { faults: [always({ type: 'status', status: 404 }, { path: '/i/*' })] },
  'site-503': { faults: [always({ type: 'status', status: 503, headers: { 'Retry-After': '0' } }, { path: '/i/*' })] },

  // The environment
  'no-key': { env: { FH_API_KEY: undefined } },
  'empty-key': { env: { FH_API_KEY: '' } },
  'wrong-key': { env: { FH_API_KEY: 'not-the-key-of-anything-000000000000' } },
  'quoted-key': { env: { FH_API_KEY: '"key"' } },
  'key-file': { env: { FH_API_KEY: undefined, FH_API_KEY_FILE: 'key.txt' } },
  'no-base': { env: { FH_BASE_URL: undefined } },
  dead: { env: { FH_BASE_URL: 'http://127.0.0.1:9' } },
  'no-home': { env: { HOME: undefined } },
  foreign: { env: { FH_BASE_URL: 'http://files.example' } },
  plain: { env: { FH_BASE_URL: undefined, FH_API_KEY: undefined } },
  ci: { env: { CI: 'true' } },
  dumb: { env: { TERM: 'dumb' } },

  // What is stored
  'logged-in': {
    env: { FH_BASE_URL: undefined, FH_API_KEY: undefined },
    prelude: ['printf %s "$KEY" | fh login --with-key --base-url "$URL"'],
  },
  sent: { prelude: ['fh upload -j 1 picture.png photo.jpg'] },
  'broken-config': { prelude: config('{"profiles": ') },
  'odd-config': { prelude: config('{"profiles": {"default": {"retries": "many"}}}') },
  'read-only-state': { env: { FH_STATE_DIR: '/proc/fh' } },
}
