import type { UploadRecord } from '../storage/record-types.ts'
import type { RecordStore } from '../storage/records.ts'
import { type Result, refused, succeeded } from './refusal.ts'
import { reviewText, type TextProblem } from './written-text.ts'

/** The most characters of a title. */
export const maxTitle = 255

/** The accounts that an upload remembers as its likers. The like of an older one stays, but cannot be taken back. */
export const mostRememberedLikers = 10_000

type MissingUpload = { readonly kind: 'upload-not-found'; readonly slug: string }

/** What accounts change about uploads on the site. */
export function createUploadEdits({ uploads }: Pick<RecordStore, 'uploads'>) {
  const changed = (
    slug: string,
    change: (upload: UploadRecord) => Partial<UploadRecord> | undefined,
  ): Result<UploadRecord, MissingUpload> => {
    const upload = uploads.findBySlug(slug)
    if (upload === undefined) return refused({ kind: 'upload-not-found', slug })
    const changes = change(upload)
    return succeeded((changes && uploads.update(slug, changes)) ?? upload)
  }

  return {
    /** @param title null, or a text without a visible character, clears it */
    setTitle(accountId: number, slug: string, title: string | null): Result<UploadRecord, MissingUpload | TextProblem> {
      if (uploads.findBySlug(slug)?.accountId !== accountId) return refused({ kind: 'upload-not-found', slug })
      const reviewed = reviewText(title ?? '', maxTitle)
      if (reviewed.ok) return changed(slug, () => ({ title: reviewed.value }))
      return reviewed.refusal.kind === 'missing' ? changed(slug, () => ({ title: null })) : reviewed
    },
    /** Likes an upload of any account; once only, however often it is called. */
    like: (accountId: number, slug: string): Result<UploadRecord, MissingUpload> =>
      changed(slug, (upload) => {
        if (isLikedBy(upload, accountId)) return undefined
        const likedBy = [...(upload.likedBy ?? []), accountId].slice(-mostRememberedLikers)
        return { likedBy, likes: Math.min(upload.likes + 1, Number.MAX_SAFE_INTEGER) }
      }),
    /** Takes the account's like back, if there is one. */
    unlike: (accountId: number, slug: string): Result<UploadRecord, MissingUpload> =>
      changed(slug, (upload) => {
        if (!isLikedBy(upload, accountId)) return undefined
        const likedBy = upload.likedBy?.filter((id) => id !== accountId)
        // The control API may have set a smaller number meanwhile.
        return { likedBy: likedBy ?? [], likes: Math.max(upload.likes - 1, 0) }
      }),
  }
}

export function isLikedBy({ likedBy }: UploadRecord, accountId: number): boolean {
  return likedBy?.includes(accountId) ?? false
}
