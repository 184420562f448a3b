import { type Command, Help } from 'commander'
import { globalFlagsHeading } from '../config/global-flags.ts'

/** The help of a command with what is its own first: the many flags that it shares with all others come last. */
export function formatHelp(command: Command, helper: Help): string {
  const sections = Help.prototype.formatHelp.call(helper, command, helper).trimEnd().split('\n\n')
  const isShared = (section: string) => section.startsWith(globalFlagsHeading)
  const own = sections.filter((section) => !isShared(section))
  return `${[...own, ...sections.filter(isShared)].join('\n\n')}\n`
}
