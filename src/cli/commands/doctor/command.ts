import type { Command } from 'commander'
import type { CommandResult, Context } from '../../context/context.ts'
import { each, inTurn } from './check.ts'
import { ledgerLooks } from './ledger-checks.ts'
import { localLooks } from './local-checks.ts'
import { networkLooks } from './network-checks.ts'
import { createServiceLooks } from './service-checks.ts'

export function register(command: Command, start: (options: object) => void): void {
  command
    .description('Check settings, connection and key, for two units.')
    .addHelpText('after', examples)
    .action(() => start({}))
}

const examples = `
Every check ends with ok, warn, fail or skip, and a hint how to fix it; those
to act on come first. -v adds what dialect the service speaks.
Exits with the code of the first failure.

Examples:
  fh doctor
  fh doctor --profile work --json`

export async function run(_: object, context: Context): Promise<CommandResult> {
  const local = await each(localLooks(context))
  const isBroken = local.some(({ name, status }) => name === 'config' && status === 'fail')
  const ledger = isBroken ? [] : await inTurn(ledgerLooks(context))
  const { looks, dialect } = createServiceLooks(context)
  const beyond = await inTurn({ ...networkLooks(context), ...looks }, isBroken ? 'fix config first' : undefined)
  const all = [...local, ...ledger, ...beyond]
  const failed = all.find(({ status }) => status === 'fail')
  const checks = all.map(({ name, status, message, hint }) => ({ name, status, message, hint }))
  const data = { ok: failed === undefined, checks, dialect: dialect() }
  context.print({ type: 'diagnosis', data, hasDialect: context.flags.verbose === true })
  return { type: 'exit', code: failed?.exitCode ?? 0 }
}
