import { oneOf, timeZoneName, trueOrFalse, wholeNumber } from '../values/value-type.ts'
import { define } from './definition.ts'

/** How an uploaded file is stored and shown. */
export const uploadDefinitions = {
  thumbnail: define(
    oneOf('delayed', 'immediate', 'never'),
    '2.1',
    'When a thumbnail appears: some time after the upload, with it, or never.',
  ),
  thumbnail_delay_ms: define(wholeNumber({ of: 'milliseconds' }), '2.1', 'How long a delayed thumbnail takes.', 2_000),
  title: define(oneOf(null, 'filename'), '2.1', 'The title of a new upload: none, or its file name.'),
  timezone: define(timeZoneName, '2.1', 'The time zone of `created_at`.', 'Europe/Bucharest'),
  created_at_format: define(
    oneOf('seconds', 'micros', 'compact_offset', 'zulu'),
    '2.1',
    'How `created_at` is written: `…T14:00:00+02:00`, with a fraction, with `+0200`, or in UTC with a fraction and `Z`.',
  ),
  slug_style: define(
    oneOf('alnum10', 'nanoid21', 'uuid'),
    '2.1',
    'The form of slugs: 10 letters and digits; 21 letters, digits, `_` and `-`; or a UUID.',
  ),
  case_insensitive_slugs: define(trueOrFalse, '2.1', 'Whether slugs match in any case.'),
  extra_fields: define(trueOrFalse, '2', 'Whether upload and statistics objects have additional, undocumented fields.'),
  reencode: define(
    trueOrFalse,
    '2.1',
    'Whether stored files differ from those that were sent, as on a service that strips metadata.',
  ),
  visible_after_ms: define(
    wholeNumber({ of: 'milliseconds' }),
    '3',
    'How long a new upload is missing from the list and from show.',
    0,
  ),
  duplicate_content: define(
    oneOf('new_slug', 'same_slug'),
    '4.1',
    'What uploading the same content again returns: a new upload, or the existing one.',
  ),
  total_views_type: define(oneOf('integer', 'string'), '2.3', 'The JSON type of `total_views`.'),
}
