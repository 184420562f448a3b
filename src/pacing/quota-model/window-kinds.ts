/** The kinds of window a service may keep; spec 8 does not say which. */
export const windowKinds = ['log', 'fixed', 'aligned', 'counter', 'bucket'] as const

/**
 * `log`: every charge for exactly the window's length. `fixed`: begins with the first charge. `aligned`: begins with the
 * minutes, hours and days of the clock. `counter`: the clock's present period, and a share of the one before. `bucket`:
 * all at once, coming back evenly.
 */
export type WindowKind = (typeof windowKinds)[number]
