import type { Command } from 'commander'
import { readSetting } from '../../config/settings.ts'
import type { CommandResult, Context } from '../../context/context.ts'
import { uploadFields } from '../../output/fields.ts'
import { skipAll } from './check.ts'
import { checkConfig, checkLedger, checkPermissions, checkState } from './local-checks.ts'
import { checkNetwork } from './network-checks.ts'
import { checkService, dialectOf } from './service-checks.ts'

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
  const config = checkConfig(context)
  const local = [config, await checkPermissions(context), await checkState(context)]
  const ledger = config.status === 'fail' ? [] : await checkLedger(context)
  const { checks, dialect } = config.status === 'fail' ? unchecked : await beyond(context)
  const all = [...local, ...ledger, ...checks]
  const data = {
    ok: all.every(({ status }) => status !== 'fail'),
    checks: all.map(({ name, status, message, hint }) => ({ name, status, message, hint })),
    dialect,
  }
  const hasDialect = context.flags.verbose === true
  context.print({ type: 'diagnosis', data, hasDialect })
  return { type: 'exit', code: all.find(({ status }) => status === 'fail')?.exitCode ?? 0 }
}

const unchecked = {
  checks: skipAll(['address', 'proxy', 'dns', 'tls', 'key', 'clock', 'list'], 'fix config first'),
  dialect: null,
}

async function beyond(context: Context) {
  const network = await checkNetwork(context)
  if (!network.reachable) {
    return { checks: [...network.checks, ...skipAll(['key', 'clock', 'list'], 'no request was sent')], dialect: null }
  }
  const { checks, answers } = await checkService(context)
  const baseUrl = readSetting(context.settings(), 'base_url') ?? ''
  const dialect = answers === undefined ? null : dialectOf(answers.stats, answers.list, baseUrl, uploadFields)
  return { checks: [...network.checks, ...checks], dialect }
}
