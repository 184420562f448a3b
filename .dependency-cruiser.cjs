/** Who may enter which room; docs/architecture.md says why. */
const room = (name, comment, from, allowed) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: '^(src|emulator|bench|test)/', pathNot: [from, ...allowed] },
})

module.exports = {
  forbidden: [
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'protocol-imports-nothing',
      comment: 'The contract is data and pure functions, shared by both sides.',
      severity: 'error',
      from: { path: '^src/protocol/' },
      to: { pathNot: '^src/protocol/' },
    },
    {
      name: 'clock-imports-nothing',
      comment: 'Everything depends on time, so the clock depends on the system alone.',
      severity: 'error',
      from: { path: '^src/clock[.]ts$' },
      to: { pathNot: '^os$' },
    },
    room('system-room', 'Code for files, folders and processes depends on the clock alone.', '^src/system/', [
      '^src/clock[.]ts$',
    ]),
    room('pacing-room', 'Pacing knows the contract, time and the system, not HTTP.', '^src/pacing/', [
      '^src/protocol/',
      '^src/system/',
      '^src/clock[.]ts$',
    ]),
    room('client-room', 'The client does not depend on its callers.', '^src/client/', [
      '^src/protocol/',
      '^src/system/',
      '^src/pacing/',
      '^src/clock[.]ts$',
    ]),
    room('library-entry', 'An entry of the library is a table of contents.', '^src/(index|internal)[.]ts$', [
      '^src/client/',
      '^src/pacing/',
      '^src/protocol/',
      '^src/clock[.]ts$',
    ]),
    {
      name: 'cli-through-the-front-door',
      comment:
        'The command line uses the library by its entries; the table of settings, loaded by every start, names small files.',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: '^src/cli/config/setting-definitions[.]ts$' },
      to: { path: '^src/', pathNot: ['^src/cli/', '^src/(index|internal|clock)[.]ts$', '^src/(system|protocol)/'] },
    },
    {
      name: 'commands-apart',
      comment: 'A part that two commands need belongs to a room of the command line.',
      severity: 'error',
      from: { path: '^src/cli/commands/([^/.]+)' },
      to: { path: '^src/cli/commands/', pathNot: '^src/cli/commands/$1[/.]' },
    },
    {
      name: 'only-catalog-names-commands',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: ['^src/cli/commands/', '^src/cli/run/catalog[.]ts$'] },
      to: { path: '^src/cli/commands/' },
    },
    {
      name: 'only-emulate-starts-the-emulator',
      comment: 'Its other files take types from the emulator, and no code: it is loaded once it is to run.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli/commands/emulate/command[.]ts$' },
      to: { path: '^emulator/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-emulate-knows-the-emulator',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli/commands/emulate/' },
      to: { path: '^emulator/' },
    },
    {
      name: 'emulate-by-its-entry',
      severity: 'error',
      from: { path: '^src/cli/commands/emulate/' },
      to: { path: '^emulator/', pathNot: '^emulator/index[.]ts$' },
    },
    room('emulator-room', 'The emulator shares the contract with the client and nothing else.', '^emulator/', [
      '^src/protocol/',
      '^src/clock[.]ts$',
    ]),
    {
      name: 'emulator-takes-only-the-type-of-the-clock',
      severity: 'error',
      from: { path: '^emulator/' },
      to: { path: '^src/clock[.]ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'service-knows-no-wire',
      comment: 'Rules are functions of data and time: no HTTP, no files, no programs.',
      severity: 'error',
      from: { path: '^emulator/service/' },
      to: { path: ['^emulator/(http|site|control|thumbnails)/', '^(node:)?(fs|http|https|net|child_process)(/|$)'] },
    },
    {
      name: 'storage-has-no-rules',
      severity: 'error',
      from: { path: '^emulator/storage/' },
      to: { path: '^emulator/(service|http|site|control)/' },
    },
    room(
      'thumbnails-room',
      'Code that reads pictures and videos does not depend on the service.',
      '^emulator/thumbnails/',
      ['^emulator/service/thumbnail-maker[.]ts$'],
    ),
    {
      name: 'site-knows-no-api',
      comment: 'A visit to the website needs no key and is no request to the API.',
      severity: 'error',
      from: { path: '^emulator/site/' },
      to: { path: '^emulator/http/' },
    },
    {
      name: 'control-knows-no-api',
      comment: 'The control API uses the service directly, with errors of its own.',
      severity: 'error',
      from: { path: '^emulator/control/' },
      to: { path: '^emulator/http/' },
    },
    {
      name: 'only-app-joins-http-site-and-control',
      severity: 'error',
      from: { path: '^emulator/(http|site|control)/', pathNot: '^emulator/http/app[.]ts$' },
      to: { path: '^emulator/(site|control)/', pathNot: '^emulator/$1/' },
    },
    {
      name: 'undici-in-one-place',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/client/transports/undici-transport[.]ts$' },
      to: { path: 'node_modules/undici/' },
    },
    {
      name: 'form-data-in-one-place',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/client/sources/upload-body[.]ts$' },
      to: { path: 'node_modules/form-data/' },
    },
    {
      name: 'sources-never-import-tests',
      severity: 'error',
      from: { path: '^(src|emulator|bin)/' },
      to: { path: '^(test|bench)/' },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^dist/'] },
    exclude: { path: '^test/(fixtures|consumers/projects)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'default', 'types'] },
  },
}
