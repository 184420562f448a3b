/** Who may enter which room; docs/architecture.md says why. */
const room = (name, comment, from, allowed) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: '^(src|emulator|bench|test)/', pathNot: [from, ...allowed] },
})

/** Rooms from the highest floor down: each imports those below it alone. */
const floorsOf = (hall, floors) =>
  floors.map((rooms, floor) => ({
    name: `${hall.slice(hall.lastIndexOf('/') + 1)}-${rooms.split('|')[0]}`,
    comment: 'A room imports those below it alone.',
    severity: 'error',
    from: { path: `^${hall}/(${rooms})/` },
    to: {
      path: `^${hall}/(${floors.join('|')})/`,
      pathNot: [`^${hall}/$1/`, ...floors.slice(floor + 1).map((below) => `^${hall}/(${below})/`)],
    },
  }))

module.exports = {
  forbidden: [
    ...floorsOf('src/cli', 'run commands batch|choice context config output input failures format'.split(' ')),
    ...floorsOf('src/client', ['calls', 'download|exactly-once', 'sources', 'site']),
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'protocol-imports-nothing',
      comment: 'The contract is data and pure functions, shared by both sides.',
      severity: 'error',
      from: { path: '^src/protocol/' },
      to: { pathNot: '^src/(protocol|checks)/' },
    },
    {
      name: 'checks-import-nothing',
      comment: 'What is said about a wrong argument is the same everywhere.',
      severity: 'error',
      from: { path: '^src/checks/' },
      to: { pathNot: '^src/checks/' },
    },
    room(
      'environment-room',
      'What is written in environment variables, and for shells; shared by both sides.',
      '^src/environment/',
      ['^src/(checks|protocol)/'],
    ),
    {
      name: 'clock-imports-nothing',
      comment: 'Everything depends on time, so the clock depends on the system alone.',
      severity: 'error',
      from: { path: '^src/clock[.]ts$' },
      to: { pathNot: '^os$' },
    },
    room(
      'system-room',
      'Code for files, folders and processes depends on the clock and the checks alone.',
      '^src/system/',
      ['^src/checks/', '^src/clock[.]ts$'],
    ),
    room('store-room', 'What is kept on a machine, or shared by several; who asks is no matter.', '^src/store/', [
      '^src/(checks|environment|protocol|system)/',
      '^src/clock[.]ts$',
    ]),
    room('log-room', 'A log knows its homes, files and Redis, not what its lines mean.', '^src/log/', [
      '^src/(checks|environment|store|system)/',
      '^src/clock[.]ts$',
    ]),
    room('pacing-room', 'Pacing knows the contract, time and the system, not HTTP.', '^src/pacing/', [
      '^src/checks/',
      '^src/log/',
      '^src/protocol/',
      '^src/store/',
      '^src/system/',
      '^src/clock[.]ts$',
    ]),
    {
      name: 'redis-loaded-when-asked-for',
      comment: 'A program without Redis is as small, and starts as quickly, as without what runners share through it.',
      severity: 'error',
      from: {
        path: '^(src|emulator)/',
        pathNot:
          '^src/((log/redis|pacing/fleet|cli/config)/|(redis|uploads/shared-store|store/(redis|shared)-uploads)[.]ts$)',
      },
      to: {
        path: '^src/((log/redis|pacing/fleet)/|(uploads/shared-store|store/(redis|shared)-uploads)[.]ts$)',
        dependencyTypesNot: ['type-only', 'dynamic-import'],
      },
    },
    room(
      'uploads-room',
      'What an account has, and who sends what: known to every command, and knowing none.',
      '^src/uploads/',
      ['^src/(checks|log|pacing|protocol|store|system)/', '^src/(clock|index|internal)[.]ts$'],
    ),
    room('client-room', 'The client does not depend on its callers.', '^src/client/', [
      '^src/checks/',
      '^src/store/(fleet-problem|sqlite)[.]ts$',
      '^src/protocol/',
      '^src/system/',
      '^src/pacing/',
      '^src/clock[.]ts$',
    ]),
    room(
      'library-entry',
      'An entry of the library is a table of contents.',
      '^src/(index|internal|browser|redis)[.]ts$',
      ['^src/(checks|client|log|pacing|protocol)/', '^src/clock[.]ts$'],
    ),
    {
      name: 'cli-through-the-front-door',
      comment:
        'The command line uses the library by its entries; what every start loads, the table of settings, names small files.',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: '^src/cli/config/(setting-values|service-address)[.]ts$' },
      to: {
        path: '^src/',
        pathNot: [
          '^src/cli/',
          '^src/(index|internal|clock)[.]ts$',
          '^src/(uploads|store|system|protocol|environment)/',
          '^src/log/redis/redis-url[.]ts$',
          '^src/pacing/fleet/open-fleet[.]ts$',
          '^src/checks/(json|values)[.]ts$',
        ],
      },
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
      from: { path: '^src/cli/run/', pathNot: '^src/cli/run/catalog[.]ts$' },
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
    room(
      'emulator-room',
      'The emulator shares with the client the contract, and small parts that know neither.',
      '^emulator/',
      [
        '^src/(checks|protocol|environment)/',
        '^src/(clock|index)[.]ts$',
        '^src/system/(blob-bytes|private-file|processes|queue|signals|system-errors)[.]ts$',
        '^src/store/sqlite[.]ts$',
      ],
    ),
    {
      name: 'only-the-fixture-has-a-client',
      comment: 'A test gets a client with its account; the emulator itself needs none.',
      severity: 'error',
      from: { path: '^emulator/', pathNot: '^emulator/testing/vitest[.]ts$' },
      to: { path: '^src/index[.]ts$' },
    },
    {
      name: 'emulator-takes-only-the-type-of-the-clock',
      severity: 'error',
      from: { path: '^emulator/', pathNot: '^emulator/clock/clock[.]ts$' },
      to: { path: '^src/clock[.]ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'service-knows-no-wire',
      comment: 'Rules are functions of data and time: no HTTP, no files, no programs.',
      severity: 'error',
      from: { path: '^emulator/service/' },
      to: { path: '^emulator/(wire|api|php|site|control|thumbnails)/|^(node:)?(fs|https?|net|child_process)(/|$)' },
    },
    {
      name: 'storage-has-no-rules',
      severity: 'error',
      from: { path: '^emulator/storage/' },
      to: { path: '^emulator/(service|wire|api|php|site|control)/' },
    },
    room(
      'thumbnails-room',
      'Code that reads pictures and videos does not depend on the service.',
      '^emulator/thumbnails/',
      ['^emulator/service/thumbnail-maker[.]ts$'],
    ),
    {
      name: 'site-knows-no-api',
      comment: 'A visit to the website needs no key and is no request to the API; it shares the reading of addresses.',
      severity: 'error',
      from: { path: '^emulator/site/' },
      to: { path: '^emulator/(wire|api)/', pathNot: '^emulator/api/target[.]ts$' },
    },
    {
      name: 'control-knows-no-api',
      comment: 'The control API uses the service directly, with errors of its own.',
      severity: 'error',
      from: { path: '^emulator/control/' },
      to: { path: '^emulator/(wire|api|php)/' },
    },
    room('php-imports-nothing', 'What PHP makes of a request is known from PHP alone.', '^emulator/php/', []),
    room('wire-knows-no-service', 'Any handler may answer.', '^emulator/wire/', [
      '^src/|^emulator/(clock/|values/|[^/]+$)',
    ]),
    room(
      'dashboard-room',
      'The dashboard shows and changes what the control does; it shares the frame of pages and the reading of forms with the website, and the shapes of settings, faults and records with everyone.',
      '^emulator/dashboard/',
      [
        '^emulator/control/',
        '^emulator/site/(html|forms)/',
        '^emulator/site/assets/icon[.]svg',
        '^emulator/(http|emulator-error|clock/clock)[.]ts$',
        '^emulator/(settings|values)/',
        '^emulator/faults/fault(-book|-parser)?[.]ts$',
        '^emulator/service/(request-filter|refusal|logged-headers|sign-in/tries)[.]ts$',
        '^emulator/storage/record-types[.]ts$',
        '^emulator/state/snapshot(-blobs)?[.]ts$',
        '^src/(protocol|checks|environment)/',
      ],
    ),
    {
      name: 'dashboard-loaded-late',
      comment: 'A start, an upload and a request are as quick as without it.',
      severity: 'error',
      from: { path: '^emulator/', pathNot: '^emulator/dashboard/' },
      to: { path: '^emulator/dashboard/', pathNot: '^emulator/dashboard/(late-dashboard|context)[.]ts$' },
    },
    {
      name: 'only-app-joins-api-site-and-control',
      severity: 'error',
      from: { path: '^emulator/(wire|api|site|control)/', pathNot: '^emulator/api/app[.]ts$' },
      to: { path: '^emulator/(site|control)/', pathNot: '^emulator/$1/' },
    },
    {
      name: 'undici-in-one-place',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/client/transports/undici-(transport|dispatchers|holding)[.]ts$' },
      to: { path: 'node_modules/undici/' },
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
