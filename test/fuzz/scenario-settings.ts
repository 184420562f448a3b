import fc from 'fast-check'
import type { Dialect, SettingChanges } from '../../emulator/index.ts'

/** How the service is set: a dialect, and changes to it. */
interface ScenarioSettings {
  readonly dialect: Dialect
  readonly changes: SettingChanges
}

const changes = fc.record(
  {
    visible_after_ms: fc.integer({ min: 0, max: 4_000 }),
    reencode: fc.boolean(),
    duplicate_content: fc.constantFrom('new_slug' as const, 'same_slug' as const),
    created_at_format: fc.constantFrom(
      'seconds' as const,
      'micros' as const,
      'compact_offset' as const,
      'zulu' as const,
    ),
    timezone: fc.constantFrom('Europe/Bucharest', 'UTC', 'Pacific/Chatham', 'America/St_Johns'),
    page_size: fc.constantFrom(1, 2, 3, 50),
    charge_rejected: fc.boolean(),
    charge_failed: fc.boolean(),
    quota_windows: fc.constantFrom(
      'fixed' as const,
      'aligned' as const,
      'sliding' as const,
      'sliding_counter' as const,
      'token_bucket' as const,
    ),
    quota_admission: fc.constantFrom('reject_over' as const, 'overshoot' as const, 'charge_first' as const),
    rate_headers: fc.constantFrom('limited' as const, 'success' as const, 'all' as const),
    retry_after: fc.constantFrom('seconds' as const, 'http_date' as const, 'none' as const, 'zero' as const),
    unavailable_retry_after: fc.constantFrom(1, 60, 'http_date' as const, 'none' as const),
    unavailable_body: fc.constantFrom('error' as const, 'message' as const, 'html' as const),
    soft_delay: fc.constantFrom('linear' as const, 'fixed' as const, 'off' as const),
  },
  { requiredKeys: [] },
)

export const scenarioSettings: fc.Arbitrary<ScenarioSettings> = fc.record({
  dialect: fc.constantFrom('spec', 'laravel', 'hostile'),
  // Thumbnails would take longer than everything else.
  changes: changes.map((changed) => ({ ...changed, thumbnail: 'never' as const })),
})
