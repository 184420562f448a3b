/** What a user's programs must not get from this run: settings of npm, of Vitest and of fh. */
const ours = /^(npm_|FH_|VITEST|TEST$|NODE_(ENV|OPTIONS)$|INIT_CWD$|FORCE_COLOR$)/i
const kept = /^npm_config_(cache|registry|userconfig)$/i
for (const name of Object.keys(process.env)) if (ours.test(name) && !kept.test(name)) delete process.env[name]
process.env['NO_COLOR'] = '1'
