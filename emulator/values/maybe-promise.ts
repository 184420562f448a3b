/** What is there already, or a promise of it: a promise costs a request more than most of its steps. */
export type MaybePromise<Value> = Value | Promise<Value>

/** By its method: promises of other environments are of other classes. */
function isPending<Value>(value: MaybePromise<Value>): value is Promise<Value> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function'
}

/** `next(await value)` */
export function andThen<T, Next>(value: MaybePromise<T>, next: (value: T) => MaybePromise<Next>): MaybePromise<Next> {
  return isPending(value) ? value.then(next) : next(value)
}

/** `try { return await work() } catch` */
export function orElse<T>(work: () => MaybePromise<T>, recover: (error: unknown) => MaybePromise<T>): MaybePromise<T> {
  try {
    const value = work()
    return isPending(value) ? value.catch(recover) : value
  } catch (error) {
    return recover(error)
  }
}
