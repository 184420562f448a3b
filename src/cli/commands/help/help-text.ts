import type { Command } from 'commander'

/** All of a command's help, with what was added to it, which commander gives out only as it prints. */
export function fullHelp(command: Command): string {
  let text = ''
  const before = command.configureOutput()
  command.configureOutput({
    ...before,
    writeOut: (part) => {
      text += part
    },
  })
  command.outputHelp()
  command.configureOutput(before)
  return text.trimEnd()
}

/** What was added to it only: remarks and examples; empty where there are none. */
export function helpAfter(command: Command): string {
  return fullHelp(command).slice(command.helpInformation().trimEnd().length).trim()
}
