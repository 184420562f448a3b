import type { MutantsOfFile } from '../mutate.ts'

const app = 'test/unit/emulator/http/app.test.ts'
const guard = 'test/unit/emulator/control/http/access-guard.test.ts'
const signIn = 'test/unit/emulator/service/sign-in/sign-in.test.ts'
const sessions = 'test/unit/emulator/service/sign-in/sessions.test.ts'
const keyPage = 'test/unit/emulator/service/sign-in/key-page.test.ts'
const contract = 'test/contract/contract.test.ts'
const wire = 'test/unit/emulator/settings/wire.test.ts'

/** Who is let in to the emulator, and what an upload is refused for. */
export const admission: readonly MutantsOfFile[] = [
  {
    file: 'emulator/http/app.ts',
    tests: [app, wire, contract],
    mutants: [
      {
        id: 'app-too-large',
        rule: 'A body that is too large is refused before its route and key are looked at',
        from: "if (context.isTooLarge) return refused({ kind: 'body-too-large' })",
        to: '',
      },
      {
        id: 'app-check-order',
        rule: 'The checks before the quota refuse before anything is charged',
        from: 'checks.slice(0, quotaAt)',
        to: 'checks.slice(0, 0)',
      },
      {
        id: 'app-override-charge',
        rule: 'A request whose method turns out to be wrong is not charged',
        from: 'if (!outcome.ok && isMethodRefusal(outcome.refusal)) admission.undo(context)',
        to: '',
      },
    ],
  },
  {
    file: 'emulator/http/admission.ts',
    tests: [app, wire, contract],
    mutants: [
      {
        id: 'admission-key',
        rule: 'A request without a valid key is refused',
        from: "check === 'key' ? { kind: 'invalid-key' } : undefined",
        to: 'undefined',
      },
      {
        id: 'admission-suspended',
        rule: 'A suspended account is refused',
        from: 'return account.suspended ?',
        to: 'return false ?',
      },
      {
        id: 'admission-address',
        rule: "An address outside of the account's allowlist is refused",
        from: 'allowsAddress(account.ipAllowlist, clientIp)',
        to: 'true',
      },
      {
        id: 'admission-disabled',
        rule: 'A service that is switched off refuses',
        from: 'settings.current.api_enabled ?',
        to: 'true ?',
      },
    ],
  },
  {
    file: 'emulator/values/ip-allowlist.ts',
    tests: ['test/unit/emulator/values/ip-allowlist.test.ts'],
    mutants: [
      {
        id: 'allowlist-empty',
        rule: 'An empty allowlist admits every address',
        from: 'if (allowlist.length === 0) return true',
        to: '',
      },
      {
        id: 'allowlist-mapped',
        rule: 'An IPv4-mapped address counts as the IPv4 address',
        from: 'const plain = plainAddress(address)\n  const family',
        to: 'const plain = address\n  const family',
      },
      {
        id: 'allowlist-longest',
        rule: 'A prefix may be as long as the address',
        from: 'prefixLength > longest',
        to: 'prefixLength >= longest',
      },
    ],
  },
  {
    file: 'emulator/control/http/access-guard.ts',
    tests: [guard],
    mutants: [
      {
        id: 'guard-foreign-page',
        rule: 'A page of another origin may not use the control API, with the token or without',
        from: 'const isOwnPlace = addressed',
        to: 'if (showsToken(request, token)) return undefined\n  const isOwnPlace = addressed',
      },
      {
        id: 'guard-this-machine',
        rule: 'From another machine the token is needed',
        from: 'if (!isFromThisMachine(request)) return tokenRequired(request)',
        to: '',
      },
      {
        id: 'guard-rebinding',
        rule: 'A foreign host name that resolves to this machine is refused',
        from: 'if (isOwnPlace) return undefined',
        to: 'return undefined',
      },
      {
        id: 'guard-port',
        rule: 'A page of another port of this machine is foreign',
        from: ' && portOf(url) === request.localPort',
        to: '',
      },
      {
        id: 'guard-scheme',
        rule: 'A page without encryption is foreign to an emulator with TLS',
        from: "(isOfThisScheme || page.protocol === 'https:')",
        to: 'true',
      },
      {
        id: 'guard-frame',
        rule: 'A link to the dashboard may stand anywhere, a frame may not',
        from: " && headerOf(request, 'sec-fetch-dest') === 'document'",
        to: '',
      },
      {
        id: 'guard-form',
        rule: 'A foreign page may link to the dashboard, but not send it a form',
        from: 'isRead && headerOf',
        to: 'headerOf',
      },
      {
        id: 'guard-site',
        rule: 'The dashboard is not open at the address of the website',
        from: "asked !== 'api' && siteUrl !== undefined",
        to: 'false && siteUrl !== undefined',
      },
    ],
  },
  {
    file: 'emulator/this-machine.ts',
    tests: [guard],
    mutants: [
      {
        id: 'machine-proxy',
        rule: 'A request through a proxy of this machine counts as one from elsewhere',
        from: ' && proxySign(request) === undefined',
        to: '',
      },
    ],
  },
  {
    file: 'emulator/service/sign-in/tries.ts',
    tests: [signIn],
    mutants: [
      {
        id: 'tries-five',
        rule: 'Five wrong tries are allowed, a sixth is refused',
        from: 'tries.length < mostTries',
        to: 'tries.length <= mostTries',
      },
      {
        id: 'tries-minute',
        rule: 'A try counts for a minute, and no longer',
        from: 'at > now - triesWindowMs',
        to: 'at >= now - triesWindowMs',
      },
      {
        id: 'tries-next',
        rule: 'The next try is allowed once the first of the five is a minute old',
        from: 'Math.min(...tries) + triesWindowMs',
        to: 'Math.max(...tries) + triesWindowMs',
      },
    ],
  },
  {
    file: 'emulator/service/sign-in/password-gate.ts',
    tests: [signIn, keyPage, sessions],
    mutants: [
      {
        id: 'gate-turns',
        rule: 'Tries that waited for their turn at the same time cannot get past the limit',
        from: 'if (refused !== undefined) return refused\n    tries.count',
        to: 'tries.count',
      },
      {
        id: 'gate-forget',
        rule: 'A right password ends the count of wrong ones',
        from: 'tries.forget(email)',
        to: '',
      },
      {
        id: 'gate-changed-meanwhile',
        rule: 'A password that was changed while it was checked is wrong',
        from: 'current?.passwordHash !== account.passwordHash || ',
        to: '!current || ',
      },
      {
        id: 'gate-rush',
        rule: 'At most a hundred passwords wait for their check',
        from: 'if (turns.waiting() >= mostWaiting)',
        to: 'if (turns.waiting() > mostWaiting)',
      },
    ],
  },
  {
    file: 'emulator/service/sign-in/stored-password.ts',
    tests: ['test/unit/emulator/service/sign-in/stored-password.test.ts', signIn],
    mutants: [
      {
        id: 'password-same-work',
        rule: 'An unknown account costs the same work as a wrong password',
        from: 'const derived = await derive(digest, salt)\n  if (kept === undefined) return { isRight: false }',
        to: 'if (kept === undefined) return { isRight: false }\n  const derived = await derive(digest, salt)',
      },
    ],
  },
  {
    file: 'emulator/service/sign-in/sessions.ts',
    tests: [sessions],
    mutants: [
      {
        id: 'sessions-end',
        rule: 'A session ends after 30 days exactly',
        from: 'clock.now() < session.openedAt + lifeMs',
        to: 'clock.now() <= session.openedAt + lifeMs',
      },
      {
        id: 'sessions-before',
        rule: 'A new sign-in ends the session that the browser had',
        from: 'if (before !== undefined) endById(before)',
        to: '',
      },
      {
        id: 'sessions-most',
        rule: 'An account has a hundred sessions at most',
        from: 'own.length - mostSessions + 1',
        to: 'own.length - mostSessions',
      },
    ],
  },
  {
    file: 'emulator/service/sign-in/issued-keys.ts',
    tests: [keyPage],
    mutants: [
      {
        id: 'issued-once',
        rule: 'A new key is shown once',
        from: 'const found = kept.get(idHash)\n      kept.delete(idHash)',
        to: 'const found = kept.get(idHash)',
      },
      {
        id: 'issued-minute',
        rule: 'A new key is shown within a minute only',
        from: 'found !== undefined && now < found.until',
        to: 'found !== undefined',
      },
    ],
  },
  {
    file: 'emulator/service/sign-in/used-tokens.ts',
    tests: [keyPage],
    mutants: [
      {
        id: 'tokens-once',
        rule: 'A form that is sent twice makes one key',
        from: 'if (before !== undefined) return before',
        to: '',
      },
      {
        id: 'tokens-failed',
        rule: 'A form whose password was wrong can be sent again',
        from: 'if (!isUsed) outcomes.delete(token)',
        to: '',
      },
    ],
  },
  {
    file: 'emulator/service/sign-in/key-page.ts',
    tests: [keyPage],
    mutants: [
      {
        id: 'key-signed-out',
        rule: 'A session that ended while the password was checked makes no key',
        from: "if (!sessions.isOpen(session)) return { kind: 'signed-out' }\n    if (answer.kind",
        to: 'if (answer.kind',
      },
    ],
  },
  {
    file: 'emulator/service/file-rules.ts',
    tests: ['test/unit/emulator/service/file-rules.test.ts', contract],
    mutants: [
      {
        id: 'file-executable',
        rule: 'A file with the name of a program is refused',
        from: ' || executableName.test(file.name)',
        to: '',
      },
      {
        id: 'file-largest',
        rule: 'A file of exactly the limit is accepted',
        from: 'file.sizeBytes > file.maxBytes',
        to: 'file.sizeBytes >= file.maxBytes',
      },
    ],
  },
  {
    file: 'emulator/site/forms/form-judge.ts',
    tests: ['test/unit/emulator/site/hostile-forms.test.ts', 'test/unit/emulator/site/forms.test.ts'],
    mutants: [
      {
        id: 'form-wrong-token',
        rule: 'A form with a wrong token is refused in any case',
        from: "token === undefined ? origin === 'own' : isValid(token)",
        to: "origin === 'own' || (token !== undefined && isValid(token))",
      },
      {
        id: 'form-foreign',
        rule: 'A form of another site is foreign',
        from: "site === 'same-origin' ? 'own' : 'foreign'",
        to: "'own'",
      },
    ],
  },
  {
    file: 'emulator/dashboard/access.ts',
    tests: ['test/unit/emulator/dashboard/access.test.ts'],
    mutants: [
      {
        id: 'dashboard-tries',
        rule: 'Wrong control tokens count against the limit of tries',
        from: 'tries.count(request.clientIp, now())',
        to: '',
      },
    ],
  },
]
