import type { Command } from 'commander'
import type { Environment, Profile } from '../config/settings.ts'
import type { Context } from '../run/context.ts'

export function register(command: Command, start: (options: object) => void): void {
  command
    .description('Delete the stored API key of the profile. The key itself stays valid; revoke it on the website.')
    .addHelpText('after', '\nExamples:\n  fh logout\n  fh logout --profile work')
    .action(() => start({}))
}

export async function run(_: object, context: Context): Promise<void> {
  const { config, reporter, io } = context
  const { name } = context.profile()
  const { api_key: key, ...rest } = config.profile(name)
  if (key !== undefined) await config.saveProfile(name, rest)
  reporter.report({
    type: 'effect',
    effect: { type: 'logged-out', data: { profile: name, removed: key !== undefined } },
  })
  for (const source of otherSources(io.env, rest)) {
    reporter.report({ type: 'note', note: { type: 'key-still-set', source } })
  }
}

/** The other places that still provide a key. */
function otherSources(env: Environment, profile: Profile): readonly string[] {
  const variables = ['FH_API_KEY', 'FH_API_KEY_FILE'].filter((name) => env[name])
  return profile['key_command'] ? [...variables, 'key_command'] : variables
}
