import { refusalMessages } from '../../src/protocol/rate-limits.ts'
import type { Stats, Upload, UploadPage } from '../../src/protocol/resources.ts'
import { serviceMessages } from '../../src/protocol/resources.ts'

const upload: Upload = {
  slug: 'a1B2c3D4e5',
  title: null,
  url: 'https://files.example/i/a1B2c3D4e5',
  direct_url: 'https://files.example/i/a1B2c3D4e5.jpg',
  thumb_url: 'https://files.example/t/a1B2c3D4e5',
  mime_type: 'image/jpeg',
  size: 482_133,
  views: 12,
  likes: 3,
  created_at: '2026-01-15T14:00:00+02:00',
}

const uploads = 'https://files.example/api/uploads'

const page: UploadPage = {
  current_page: 1,
  data: [upload],
  first_page_url: `${uploads}?page=1`,
  from: 1,
  last_page: 1,
  last_page_url: `${uploads}?page=1`,
  links: [
    { url: null, label: '« Previous', active: false },
    { url: `${uploads}?page=1`, label: '1', active: true },
    { url: null, label: 'Next »', active: false },
  ],
  next_page_url: null,
  path: uploads,
  per_page: 50,
  prev_page_url: null,
  to: 1,
  total: 1,
}

const stats: Stats = { uploads: 1, albums: 0, total_views: 12, api_requests: 42 }

/** An answer of each kind, with the bodies of a real one. */
export const examples = {
  uploaded: { upload: { ...upload, thumb_url: null, views: 0, likes: 0 } },
  shown: { upload },
  page,
  stats,
  deleted: { deleted: true },
  invalidKey: { error: serviceMessages.invalidKey },
  suspended: { error: serviceMessages.suspended },
  notFound: { message: 'No query results for model [App\\Models\\Upload].' },
  tooLarge: { message: 'The POST data is too large.' },
  noFile: { message: serviceMessages.fileRequired, errors: { file: [serviceMessages.fileRequired] } },
  overLimit: { error: refusalMessages.minute },
  failed: { message: 'Server Error' },
  disabled: { error: serviceMessages.apiDisabled },
} as const
