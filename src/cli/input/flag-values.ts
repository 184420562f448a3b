import type { Option } from 'commander'

/** Lists values that begin like the word typed so far; called at a completion only. */
export type ListValues = (typed: string) => readonly string[] | Promise<readonly string[]>

const lists = new WeakMap<Option, ListValues>()

/** Gives a flag values to complete, where others are accepted too. A flag with fixed choices needs none. */
export function completedBy(option: Option, list: ListValues): Option {
  lists.set(option, list)
  return option
}

export function valueListOf(option: Option): ListValues | undefined {
  return lists.get(option)
}
