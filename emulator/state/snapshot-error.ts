/** A snapshot that cannot be used; the state does not change. */
export class SnapshotError extends TypeError {
  override readonly name = 'SnapshotError'
}
