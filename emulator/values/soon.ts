/** What is there already, or a promise of it: a promise costs a request more than most of its steps. */
export type Soon<Value> = Value | Promise<Value>

/** By its method: promises of other environments are of other classes. */
function isPending<Value>(value: Soon<Value>): value is Promise<Value> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function'
}

/** `next(await value)` */
export function andThen<Value, Next>(value: Soon<Value>, next: (value: Value) => Soon<Next>): Soon<Next> {
  return isPending(value) ? value.then(next) : next(value)
}

/** `try { return await work() } catch` */
export function orElse<Value>(work: () => Soon<Value>, recover: (error: unknown) => Soon<Value>): Soon<Value> {
  try {
    const value = work()
    return isPending(value) ? value.catch(recover) : value
  } catch (error) {
    return recover(error)
  }
}

/** `try { return await work() } finally` */
export function andFinally<Value>(work: () => Soon<Value>, end: () => void): Soon<Value> {
  let isOver = true
  try {
    const value = work()
    isOver = !isPending(value)
    return isPending(value) ? value.finally(end) : value
  } finally {
    if (isOver) end()
  }
}
