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

/** The texts of one language. */
export type Texts = typeof english
