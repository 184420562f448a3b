import { expect, test } from 'vitest'
import { createRig } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'
import { tlsFile, tlsFiles } from '../helpers/tls.ts'

const certificate = `emulate --port 0 --tls-cert ${tlsFiles.cert}`

/** Command lines, their words apart from each other by spaces, and what fh says. `there` is a folder. */
const rows: readonly (readonly [command: string | readonly string[], message: RegExp])[] = [
  [[], /^Usage: fh <command>/],
  ['config', /^Usage: fh config/],
  ['show', /^fh: missing required argument 'slug\|url'\n {2}fh help show lists its arguments/],
  ['stats a', /^fh: too many arguments for 'stats'. Expected 0 arguments but got 1/],
  ['login SECRETKEY', /^fh: too many arguments for 'login'. Expected 0 arguments but got 1\n {2}.*login/],
  ['stats --profile \x1b[31mred', /^fh: --profile: "\\u001b\[31mred" is not the name of a profile\n/],
  ['show https://files.example/about', /neither a slug nor the address of an uploaded file/],

  ['help config colours', /no help on "config colours"\n {2}Topics: list, get, set, unset, path, profiles, use\n/],
  ['help upload fast', /no help on "upload fast"\n {2}fh help upload lists/],
  ['help env', /no help on "env"\n {2}Topics: /],
  ['uplod a.jpg', /^fh: unknown command 'uplod'\n {2}Did you mean upload\?/],
  ['zzz', /^fh: unknown command 'zzz'\n {2}fh help lists the commands/],
  ['config prfiles', /Did you mean profiles\?/],
  ['config zzz', /\n {2}fh help config lists/],
  ['there', /^fh: unknown command 'there'\n {2}Did you mean fh upload -r there\?\n$/],
  ['there/text', /^fh: unknown command 'there\/text'\n {2}Did you mean fh upload there\/text\?\n$/],
  [['there/text', 'a b', '--format', 'slug'], /Did you mean fh upload there\/text 'a b' --format slug\?\n$/],
  ['-r there', /^fh: unknown command 'there'\n {2}Did you mean fh upload -r there\?\n$/],
  ['-q there -r', /unknown command 'there'\n {2}Did you mean fh upload -q there -r\?\n$/],
  ['help photos', /no help on "photos"\n {2}Topics: .*upload.*exit-codes/],

  ['completion tcsh', /^fh: .* 'tcsh' is invalid for argument 'shell'\. Allowed choices are bash, .*powershell\.\n/],
  ['list --page', /^fh: option '--page <n>' argument missing\n/],
  ['list --page 0', /^fh: option '--page <n>' argument '0' is invalid\. Give a whole number from 1\.\n/],
  ['list --page 2 --all', /^fh: option '--all' cannot be used with option '--page <n>'\n/],
  ['list --page 2 --type image', /--page cannot be used with filters or another order/],
  ['list --since yesterday', /option '--since <when>' argument 'yesterday' is invalid\. Give 7d or 12h, back from now/],
  [
    'delete -n --older-than 1d --before 1d',
    /option '--older-than <when>' cannot be used with option '--before <when>'/,
  ],
  ['list --json --jsonl', /"option '--jsonl' cannot be used with option '--json'"/],
  ['stats --jsonl', /--jsonl is for upload, list, .*delete/],
  ['doctor --jsonl', /--jsonl is for upload, list, .*delete/],
  ['quota --fields burst', /^fh: --fields needs --json or --jsonl here\n/],
  ['doctor --fields slug', /^fh: --fields is not supported by this command\n/],
  ['list --version', /^fh: unknown option '--version'\n/],

  ['quota --limits burst=0', /^fh: --limits: with burst=0 nothing could ever be sent/],

  ['upload -j many a.jpg', /^fh: option '-j, --jobs <n>' argument 'many' is invalid\. Give a number from 1 to 64\.\n/],
  ['upload --fields url a.jpg', /--fields needs --json or --jsonl/],
  ['upload a.jpg --name b.jpg', /--name is for one of standard input, URLs and pipes; there are 0 among the files/],
  ['upload http://h/a http://h/b --name x.jpg', /--name is for one of standard input, URLs and pipes; there are 2/],
  ['upload https://me:hush@h/a.jpg', /^fh: https:\/\/\*\*\*@h\/a\.jpg: has a user name or a password in it(?!.*hush)/s],
  [['list', '--profile', ''], /^fh: --profile: "" is not the name of a profile\n/],
  ['upload', /^fh: No files given: name files, .* - for stdin/],
  ['upload --files-from gone.txt', /^fh: --files-from: gone\.txt cannot be read: there is no such file or folder\n/],
  ['upload --files-from .', /^fh: --files-from: \. cannot be read: it is a folder\n/],
  ['upload - --name a.jpg --files-from -', /both the list and a file\n/],
  ['upload - --name ../a.jpg', /is not the name of a file/],
  ['upload a.jpg --exclude *.png', /--include and --exclude choose from folders \(-r\) and quoted patterns/],
  ['upload -r . --include {a', /^fh: the glob "\{a" has a brace \{ that is not closed: write /],
  ['upload --journal here.journal a.jpg', /^fh: unknown option '--journal'\n/],

  ['list -n 5', /^fh: unknown option '-n'\n {2}fh help list lists/],
  ['stats --output json', /^fh: unknown option '--output'\n {2}fh help stats lists/],
  ['upload --dry-run=true a.jpg', /^fh: option '--dry-run' takes no value\n {2}fh help upload lists/],
  ['list --json=1', /^fh: option '--json' takes no value\n/],
  ['list --jason', /^fh: unknown option '--jason'\n {2}Did you mean --json\?/],
  ['list --api-kee=secret', /^fh: (?!.*secret)/s],
  ['--profile get ls --zzz', /^fh: unknown option '--zzz'\n {2}fh help list lists/],
  ['list --fields zzz', /\n {2}Fields: slug,/],
  ['upload --formt url a', /\n {2}Did you mean --format\?/],
  ['upload --format zzz a', /Allowed choices are url, direct, slug/],
  ['show --raw aB3dE6gH9j', /^fh: unknown option '--raw'\n {2}fh help show lists/],
  ['stats --api-key k', /^fh: unknown option '--api-key'\n.*store it with fh login, or set FH_API_KEY\n/],
  ['show -abc', /^fh: unknown option '-abc'\n {2}Did you mean fh show -- -abc\?\n/],
  ['delete --yes --dry_run aB3dE6gH9j', /^fh: unknown option '--dry_run'\n.*--dry-run/],
  ['delete --yes --dry-rum aB3dE6gH9j', /^fh: unknown option '--dry-rum'\n.*--dry-run/],
  ['delete', /No uploads given/],
  ['delete --yes aB3 https://h/about', /neither a slug nor the address of an uploaded file/],
  ['delete --yes a1B2c3D4e5 --type image', /Slugs and filters cannot be used together/],
  ['delete --yes --from-stdin --older-than 1d', /Slugs and filters cannot be used together/],

  ['download', /No uploads given/],
  ['download --all a1B2c3D4e5', /Slugs and --all cannot be used together/],
  ['download --type image -o a.jpg', /-o takes one file, but there may be several uploads/],
  ['download -o a.jpg one two', /several uploads\n {2}Choose a folder with -O/],
  ['download -o there one', /there is a folder\n {2}Choose a folder with -O/],
  ['download -o - --json one', /cannot carry both the file and JSON/],
  ['download -o a -O b one', /cannot be used with/],

  ['api GET', /^fh: Missing argument: path/],
  ['api -X GET POST stats', /^fh: The method is given twice: POST and --method GET/],
  ['api GET https://evil.example/api/stats', /^fh: .*not below/],
  ['api FOO stats', /^fh: "FOO" is not an HTTP method\n {2}Methods: GET, HEAD, POST/],
  ['api GET stats --input x', /^fh: GET takes no body: leave out --input/],
  ['api POST x --paginate', /^fh: --paginate works only with GET, not with POST/],
  ['api POST x --input gone', /^fh: --input: gone cannot be read: there is no such file or folder\n$/],
  ['api POST x --input .', /^fh: --input: \. cannot be read: it is a folder\n/],

  ['config set api_key x', /store it with fh login/],
  [
    'config set colour x',
    /command-argument value 'colour' is invalid for argument 'setting'\. Allowed choices are base_url/,
  ],
  ['config set timeout soon', /^fh: timeout: "soon" is not a duration/],
  ['config set base_url ftp://x', /^fh: base_url: The base URL must begin with https/],
  ['config set api_key_file /x', /cannot be stored: set FH_API_KEY_FILE\n/],

  ['stats --base-url https://h?api_key=secret', /^fh: --base-url: (?!.*secret).* without \? or #: write https:\/\/h\n/],
  ['stats --base-url http://files.example', /unencrypted to files\.example\n {2}Use https, or --insecure-http/],

  ['emulate npm test', /^fh: Unknown argument: npm\n {2}Did you mean fh emulate -- npm test\?\n$/],
  ['emulate --port 99999', /Give a number from 0 to 65535/],
  ['emulate --quota week=3', /^fh: --quota: "week=3" is not a quota/],
  ['emulate --clock wall', /Allowed choices are system, virtual/],
  ['emulate --set quota_windows', /write NAME=VALUE, such as quota_windows=sliding\n$/],
  ['emulate --set quota_window=fixed', /There is no setting "quota_window"; there are api_enabled, /],
  ['emulate --set quota_windows=slidng', /takes one of fixed, aligned, .* but got "slidng"/],
  ['emulate --site-url files.test', /^fh: The option --site-url takes an http or https URL/],
  [['emulate', '--control-token', 'two words'], /^fh: --control-token: a token has no spaces(?!.*two words)/],
  ['emulate env --control-token=é', /^fh: --control-token: a token has no spaces/],
  ['emulate env http://h --port 1', /Give an address or --port, not both/],
  ['emulate wait ftp://h', /not the address of an emulator/],
  ['list --page 2 --reverse', /--page cannot be used with filters or another order/],
  ['api CONNECT stats', /^fh: "CONNECT" is not an HTTP method/],
  [certificate, /^fh: Give --tls-cert and --tls-key together/],
  [`${certificate} --tls-key none.pem`, /^fh: Cannot read the TLS key none\.pem: there is no such file/],
  [
    `${certificate} --tls-key ${tlsFile('other-key.pem')}`,
    /^fh: The TLS certificate and key cannot be used: .*mismatch/,
  ],
  [
    'emulate --export nowhere/a.json -- true',
    /--export nowhere\/a\.json cannot be written: there is no such file or folder/,
  ],
  ['emulate --export there -- true', /--export there: not a regular file/],
  ['emulate --seed gone.json -- true', /Cannot read the seed gone\.json: there is no such file/],
  ['emulate --seed there/text -- true', /The seed there\/text is not JSON/],
  ['emulate wait http://h/api', /not the address of an emulator/],
]

test.each(rows)('fh %j ends with 2, says why on stderr, and sends nothing', async (command, message) => {
  const server = await scriptedServer(answer(500, ''))
  const { fh, write } = await createRig({ service: server })
  await write('there/text', 'text')
  const { code, stdout, stderr } = await fh(typeof command === 'string' ? command.split(' ') : command)
  const isJson = command.includes('--json')
  expect([code, stdout, server.requests]).toEqual([2, isJson ? expect.anything() : '', []])
  expect(stderr).toMatch(message)
  expect(stderr).not.toMatch(/\n\s+at /)
})

test('a flag of a megabyte is compared with no other', async () => {
  const { fh } = await createRig()
  expect((await fh([`--${'z'.repeat(1_000_000)}`])).stderr).not.toContain('Did you mean')
})
