import { defaultMaxFileSizeBytes } from '../../src/protocol/media-types.ts'
import { defaultLimits, type QuotaLimits } from '../../src/protocol/rate-limits.ts'
import type { Codec } from '../values/codec.ts'
import { byteSize, oneOf, trueOrFalse } from '../values/value-type.ts'
import { answerDefinitions } from './answer-definitions.ts'
import { define } from './definition.ts'
import { quotaDefinitions } from './quota-definitions.ts'
import { quotaLimits } from './quota-limits.ts'
import { uploadDefinitions } from './upload-definitions.ts'

/** Every setting by its name on the control API, in the order of docs/settings.md. */
export const definitions = {
  api_enabled: define(trueOrFalse, '5.7', 'Whether the API answers; `false`: every call gets 503.', true),
  max_file_size: define(byteSize, '8.7', 'The largest file that can be uploaded, in bytes.', defaultMaxFileSizeBytes),
  quotas: define(
    // A change may name some windows; the settings store merges it.
    quotaLimits as Codec<QuotaLimits>,
    '8',
    'Units per window of every account without limits of its own; `null` is unlimited.',
    defaultLimits,
  ),

  ...quotaDefinitions,
  ...answerDefinitions,
  ...uploadDefinitions,

  empty_header_key: define(
    oneOf('rejects', 'falls_back'),
    '5.3',
    'Whether an X-Api-Key header without a value is a wrong key or counts as absent.',
  ),
  trust_forwarded_for: define(trueOrFalse, '5.5', "Whether the last address in X-Forwarded-For is the client's."),
}
