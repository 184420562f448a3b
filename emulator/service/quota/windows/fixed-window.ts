import { steppedWindow } from './stepped-window.ts'

/** Begins with the first charge and ends its length later, whatever happens in between. */
export const fixedWindow = steppedWindow('fixed', ({ now }) => now)
