/** The site's texts in English; `ro.ts` has the same in Romanian. Functions take what stands in the sentence. */
export const english = {
  layout: {
    skip: 'Skip to the content',
    siteLinks: 'Pages of the site',
    myFiles: 'My files',
    feed: 'Feed',
    albums: 'Albums',
    apiKey: 'API key',
    signIn: 'Sign in',
    signOut: 'Sign out',
    /** Said by a button in the other language. */
    thisLanguage: 'English',
    switchLanguage: 'Language',
  },
  landing: {
    tagline: 'Images and videos, uploaded through an API',
    howToUpload: 'Upload a file',
    accepted: 'Accepted files',
    /** Follows the list of types; the size includes the unit. */
    upTo: (size: string) => `up to ${size}`,
    keyNote: 'Every request to the API carries the key of an account.',
  },
  file: {
    image: 'Image',
    video: 'Video',
    type: 'Type',
    size: 'Size',
    views: 'Views',
    likes: 'Likes',
    uploaded: 'Uploaded',
    download: 'Download',
    embed: 'Embeddable page',
  },
  login: {
    heading: 'Sign in',
    email: 'Email',
    password: 'Password',
    submit: 'Sign in',
    wrong: 'The email or the password is wrong.',
    tooMany: (time: string) => `Too many attempts. Try again at ${time}.`,
    needed: 'Sign in to see this page.',
    signedOut: 'You are signed out.',
  },
  key: {
    heading: 'API key',
    intro: 'Programs use the API with this key. Anyone who has the key has the access of your account.',
    newKey: 'Your new API key',
    onlyOnce: 'Copy the key now: this page shows it only once.',
    oldKeyUnused: 'The key before it has stopped working.',
    oldKeyUsed: (use: string) => `The key before it has stopped working; it was last used ${use}.`,
    copy: 'Copy',
    copied: 'Copied',
    madeAt: (date: string) => `The present key was made on ${date}.`,
    lastUsed: (use: string) => `It was last used ${use}.`,
    neverUsed: 'It has not been used.',
    /** When, and from which address. */
    use: (date: string, address: string) => `on ${date} from ${address}`,
    password: 'Account password',
    generate: 'Generate key',
    generateNew: 'Generate a new key',
    consequence: 'The present key stops working at once.',
    wrongPassword: 'The password is wrong. The key has not changed.',
    suspended: 'Your account may not use the API:',
    disabled: 'The API is switched off:',
  },
  allowlist: {
    heading: 'Who may use the key',
    label: 'Allowed addresses',
    help: 'One address or range a line, such as 192.0.2.7 or 192.0.2.0/24. An empty list allows every address. The list holds for the API, not for this site.',
    yourAddress: (address: string) => `Your address: ${address}`,
    addMine: 'Add my address',
    save: 'Save',
    saved: 'The list is saved.',
    wrong: (line: number, entry: string, problem: string) => `Line ${line}, “${entry}”: ${problem}`,
    problems: {
      'not-an-address': 'this is no IPv4 or IPv6 address.',
      'zone-id': 'an address with a zone (after %) names an interface of one machine: leave the zone out.',
      'not-a-prefix': 'the slash needs a number after it, such as /24.',
      'prefix-too-long': 'the number after the slash is too large: at most 32 for IPv4, 128 for IPv6.',
      'prefix-too-short': 'an IPv4 address written as IPv6 takes /96 to /128.',
    },
    tooMany: 'The list has more than 1,000 entries. Use ranges.',
    means: (line: number, entry: string, network: string) => `Line ${line}: ${entry} means ${network}.`,
    lockOut: (addresses: string) => `This list refuses programs on your own machine (${addresses}).`,
    saveAnyway: 'Save anyway',
  },
  quota: {
    heading: 'Quota',
    windows: { burst: '10 seconds', minute: 'Minute', hour: 'Hour', day: 'Day' },
    used: (used: string, limit: string, left: string) => `${used} of ${limit} units used, ${left} left`,
    back: (time: string) => `, all back at ${time}`,
    unlimited: (used: string) => `${used} units used, unlimited`,
  },
  usage: {
    heading: 'Usage',
    rangeLinks: 'Time shown',
    ranges: { '24h': '24 hours', '7d': '7 days', '30d': '30 days' },
    /** Texts; `busiest` is a time, absent without requests. */
    summary: ({ range, all, refused, busiest }: UsageSummary) =>
      `API requests, last ${range}: ${all}, of which ${refused} refused for the quota${busiest === undefined ? '' : `; most at ${busiest}`}`,
    classes: {
      ok: 'Successful',
      clientError: 'Client errors',
      limited: 'Over the quota (429)',
      serverError: 'Server errors',
    },
    none: 'There are no requests in this time.',
    incomplete: 'The log no longer has the oldest requests of this time.',
    byEndpoint: 'Requests by method, endpoint and status',
    byTime: 'The numbers of the chart',
    method: 'Method',
    endpoint: 'Endpoint',
    status: 'Status',
    count: 'Requests',
    time: 'From',
    otherPaths: 'other paths',
  },
  errors: {
    notFound: 'Not found',
    notFoundExplained: 'There is no file at this address. It may have been deleted.',
    methodNotAllowed: 'Not possible',
    methodNotAllowedExplained: 'This address can only be read.',
    foreignForm: 'Not accepted',
    foreignFormExplained: 'This form was sent from another site, so nothing was changed.',
    expiredForm: 'The form has expired',
    expiredFormExplained:
      'You signed in or out since the form was opened, or it was sent already. Nothing was changed.',
    unreadableForm: 'The form cannot be read',
    unreadableFormExplained: 'It is too large or of an unknown kind. Nothing was changed.',
    openAgain: 'Open the form again',
  },
}

interface UsageSummary {
  readonly range: string
  readonly all: string
  readonly refused: string
  readonly busiest: string | undefined
}

/** The texts of one language. */
export type Texts = typeof english
