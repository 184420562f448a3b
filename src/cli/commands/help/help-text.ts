import type { Command } from 'commander'

/** A command's complete help. Commander returns the text of `addHelpText` only by printing it, so the output is caught. */
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

/** Only the text of `addHelpText`, the remarks and examples; empty if there is none. */
export function helpAfter(command: Command): string {
  return fullHelp(command).slice(command.helpInformation().trimEnd().length).trim()
}
