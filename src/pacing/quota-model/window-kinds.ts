/**
 * The kinds of window that a service may keep; spec 8 does not say which. `sliding`: counts each charge for exactly the
 * window's length. `fixed`: begins with the first charge. `aligned`: begins with the clock's minutes, hours and days.
 * `sliding_counter`: the clock's present period, and a share of the one before. `token_bucket`: the whole limit at once,
 * coming back evenly.
 */
export const windowKinds = ['sliding', 'fixed', 'aligned', 'sliding_counter', 'token_bucket'] as const

export type WindowKind = (typeof windowKinds)[number]
