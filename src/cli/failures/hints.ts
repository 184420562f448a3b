import { shellWord } from '../../environment/shell-word.ts'

/** What a person can do about a failure. Those of the library are shown where the command line has none. */
export const hints = {
  // The command line itself.
  commands: 'fh help lists the commands, fh help flags the flags of all of them',
  help: (command: string) => `fh help ${command} lists its arguments and flags`,
  didYouMean: (command: string) => `Did you mean ${command}?`,
  oneOf: (what: string, names: readonly string[]) => `${what}: ${names.join(', ')}`,
  writeLike: (examples: string) => `Write it like ${examples}`,
  recursive: 'Add -r to upload the files in it',
  folder: 'Choose a folder with -O',
  force: 'Add --force to replace it, or choose another file',
  withoutAsking: 'Add --yes to delete without being asked',
  loginWithoutAsking: 'Read the key from a file: fh login --base-url URL --with-key < key.txt',

  // Accounts and settings. `flag` is ` --profile NAME`, or empty.
  secretKey: 'Others can see a key on the command line: store it with fh login, or set FH_API_KEY',
  account: (flag: string) => `Run fh login${flag}, or fh emulate to try it; scripts set FH_BASE_URL and FH_API_KEY`,
  keyWithAddress: (flag: string) => `fh login${flag} stores a key with its address; or set FH_API_KEY`,
  emptySecret: 'Is the secret there that it comes from? Unset it to use a stored key',
  profiles: (names: readonly string[], flag = '') =>
    `Profiles: ${names.join(', ') || 'none yet'}; fh login${flag} adds one`,
  set: (name: string, flag = '') => `fh config set ${name} VALUE${flag} stores it`,
  unset: (name: string, flag = '') => `fh config unset ${name}${flag} removes it`,
  config: 'It was not changed: fix its content or permissions (chmod 600), or name another folder in FH_CONFIG_DIR',
  forgetWithKey: (path: string) =>
    `Run it again with the key in FH_API_KEY, or delete ${path} to forget the uploads of all accounts`,

  // The network and the service.
  tryAgain: (when: string, canWaitLonger = false) => `Try again ${when}${canWaitLonger ? ', or raise --max-wait' : ''}`,
  network: 'Check the address and the network',
  nothingListens: 'Nothing listens there. Is the address right? (fh login)',
  plainHttp: 'Check the port of the base URL; does it have to begin with http://?',
  https: 'Use https, or --insecure-http in a network you trust',
  ownAuthority: 'For an authority of your own: --ca-cert FILE; else check the address and the clock',
  proxy: (place: string) => `Check the proxy (${place}), or do without it`,
  clock: 'Set the clock, or enable network time: waits for quota depend on it',

  // Uploads.
  byName: (slug: string) => `By name: fh list --name ${shellWord(`${slug}*`)}`,
  downloadFirst: 'Download it first, and upload the file',
  largerFiles: 'If the service accepts larger files: --max-file-size SIZE, or none',
  anyType: (way: string) => `${way}; --any-type lets the service decide`,
  lookedForFirst: (without: string) => `Run the same command again${without}: fh looks for it first`,
  lookFirst: 'Look for it with fh list before you upload it again',
  open: (it: string, isYours: string, command: string) =>
    `Open ${it}: if ${isYours} your file, you are done; if not: ${command}`,

  // This machine, and other runners.
  stateFolder: 'Set FH_STATE_DIR to a folder that can be written, on a disk of this machine',
  temporaryFolder: 'Name a folder with room in TMPDIR',
  stoppedRun: 'End the fh that was stopped, or let it go on, and run the same command again',
  withoutLedger: 'FH_LEDGER= goes on without what other runners know',

  // Emulators.
  emulator: 'Start one with fh emulate, or give its address: URL or FH_EMULATOR_URL',
} as const
