/** A place in a row. */
export interface Turn {
  /** Resolves once all turns before this one have ended. */
  readonly comes: Promise<unknown>
  end(): void
}

/** @returns gives the next turn */
export function createDownloadTurns(): () => Turn {
  let last: Promise<unknown> = Promise.resolve()
  return () => {
    const comes = last
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    last = comes.then(() => ended)
    return { comes, end }
  }
}
