import type { AccountRecord, NewRequest, UploadRecord } from '../../../../emulator/storage/record-types.ts'

export type NewAccount = Omit<AccountRecord, 'id'>
export type NewUpload = Omit<UploadRecord, 'id'>

/** An account to insert, with these details. */
export function account(difference: Partial<NewAccount> = {}): NewAccount {
  return {
    email: 'a@example.com',
    passwordHash: 'p',
    keyHash: 'k',
    keyMadeAt: 0,
    suspended: false,
    suspensionReason: null,
    ipAllowlist: [],
    quotas: null,
    albums: 0,
    feedViews: 0,
    ...difference,
  }
}

/** An upload to insert; by default of account 1 and at instant 0. */
export function upload(slug: string, difference: Partial<NewUpload> = {}): NewUpload {
  const common = { accountId: 1, blobId: 'b', title: null, mimeType: 'image/png', sizeBytes: 10, views: 0, likes: 0 }
  return { slug, createdAt: 0, thumbnail: { state: 'none' }, ...common, ...difference }
}

export function request(difference: Partial<NewRequest> = {}): NewRequest {
  return {
    method: 'GET',
    endpoint: '/api/stats',
    status: 200,
    clientIp: '127.0.0.1',
    at: 1_768_478_400_000,
    cost: 1,
    accountId: 1,
    keyIn: 'header',
    headers: '',
    ...difference,
  }
}

export const slugsOf = (uploads: readonly UploadRecord[]) => uploads.map(({ slug }) => slug)

export const everything = { offset: 0, limit: 1_000_000 }
