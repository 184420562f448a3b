import type { Texts } from './en.ts'

/** The site's texts in Romanian. */
export const romanian: Texts = {
  layout: {
    skip: 'Sari la conținut',
    siteLinks: 'Paginile site-ului',
    myFiles: 'Fișierele mele',
    feed: 'Noutăți',
    albums: 'Albume',
    apiKey: 'Cheie API',
    signIn: 'Autentificare',
    signOut: 'Deconectare',
    thisLanguage: 'Română',
    switchLanguage: 'Limbă',
  },
  landing: {
    tagline: 'Imagini și videoclipuri, încărcate printr-un API',
    howToUpload: 'Încarcă un fișier',
    accepted: 'Fișiere acceptate',
    upTo: (size) => `până la ${size}`,
    keyNote: 'Fiecare cerere către API poartă cheia unui cont.',
  },
  file: {
    image: 'Imagine',
    video: 'Videoclip',
    type: 'Tip',
    size: 'Mărime',
    views: 'Vizualizări',
    likes: 'Aprecieri',
    uploaded: 'Încărcat',
    download: 'Descarcă',
    embed: 'Pagină pentru încorporare',
  },
  login: {
    heading: 'Autentificare',
    email: 'E-mail',
    password: 'Parolă',
    submit: 'Autentificare',
    wrong: 'E-mailul sau parola este greșită.',
    tooMany: (time) => `Prea multe încercări. Încearcă din nou la ${time}.`,
    needed: 'Autentifică-te ca să vezi această pagină.',
    signedOut: 'Te-ai deconectat.',
  },
  errors: {
    notFound: 'Nu a fost găsit',
    notFoundExplained: 'La această adresă nu există niciun fișier. Poate a fost șters.',
    methodNotAllowed: 'Nu este posibil',
    methodNotAllowedExplained: 'Această adresă poate fi doar citită.',
    foreignForm: 'Nu este acceptat',
    foreignFormExplained: 'Formularul a fost trimis de pe alt site, așa că nu s-a schimbat nimic.',
    expiredForm: 'Formularul a expirat',
    expiredFormExplained:
      'Te-ai autentificat sau te-ai deconectat de când ai deschis formularul, sau a fost deja trimis. Nu s-a schimbat nimic.',
    unreadableForm: 'Formularul nu poate fi citit',
    unreadableFormExplained: 'Este prea mare sau de un tip necunoscut. Nu s-a schimbat nimic.',
    openAgain: 'Deschide formularul din nou',
  },
}
