const app = 'test/unit/emulator/http/app.test.ts'
const guard = 'test/unit/emulator/control/http/access-guard.test.ts'
const signIn = 'test/unit/emulator/service/sign-in/sign-in.test.ts'
const sessions = 'test/unit/emulator/service/sign-in/sessions.test.ts'
const keyPage = 'test/unit/emulator/service/sign-in/key-page.test.ts'
const contract = 'test/contract/contract.test.ts'
const wire = 'test/unit/emulator/settings/wire.test.ts'

/** Who is let in to the emulator, and what an upload is refused for. */
export const admission = `
emulator/http/app.ts: own, ${wire}, ${contract}
  app-too-large: A body that is too large is refused before its route and key are looked at
    - if (context.isTooLarge) return refused({ kind: 'body-too-large' })
  app-check-order: The checks before the quota refuse before anything is charged
    - checks.slice(0, quotaAt)
    + checks.slice(0, 0)
  app-override-charge: A request whose method turns out to be wrong is not charged
    - if (!outcome.ok && isMethodRefusal(outcome.refusal)) admission.undo(context)

emulator/http/admission.ts: ${app}, ${wire}, ${contract}
  admission-key: A request without a valid key is refused
    - check === 'key' ? { kind: 'invalid-key' } : undefined
    + undefined
  admission-suspended: A suspended account is refused
    - return account.suspended ?
    + return false ?
  admission-address: An address outside of the account's allowlist is refused
    - allowsAddress(account.ipAllowlist, clientIp)
    + true
  admission-disabled: A service that is switched off refuses
    - settings.current.api_enabled ?
    + true ?

emulator/values/ip-allowlist.ts: own
  allowlist-empty: An empty allowlist admits every address
    - if (allowlist.length === 0) return true
  allowlist-mapped: An IPv4-mapped address counts as the IPv4 address
    - const plain = plainAddress(address)
    -   const family
    + const plain = address
    +   const family
  allowlist-longest: A prefix may be as long as the address
    - prefixLength > longest
    + prefixLength >= longest

emulator/control/http/access-guard.ts: own
  guard-foreign-page: A page of another origin may not use the control API, with the token or without
    - const isOwnPlace = addressed
    + if (showsToken(request, token)) return undefined
    +   const isOwnPlace = addressed
  guard-this-machine: From another machine the token is needed
    - if (!isFromThisMachine(request)) return tokenRequired(request)
  guard-rebinding: A foreign host name that resolves to this machine is refused
    - if (isOwnPlace) return undefined
    + return undefined
  guard-port: A page of another port of this machine is foreign
    - && portOf(url) === request.localPort
  guard-scheme: A page without encryption is foreign to an emulator with TLS
    - (isOfThisScheme || page.protocol === 'https:')
    + true
  guard-frame: A link to the dashboard may stand anywhere, a frame may not
    - && headerOf(request, 'sec-fetch-dest') === 'document'
  guard-form: A foreign page may link to the dashboard, but not send it a form
    - isRead && headerOf
    + headerOf
  guard-site: The dashboard is not open at the address of the website
    - asked !== 'api' && siteUrl !== undefined
    + false && siteUrl !== undefined

emulator/this-machine.ts: ${guard}
  machine-proxy: A request through a proxy of this machine counts as one from elsewhere
    - && proxySign(request) === undefined

emulator/service/sign-in/tries.ts: ${signIn}
  tries-five: Five wrong tries are allowed, a sixth is refused
    - tries.length < mostTries
    + tries.length <= mostTries
  tries-minute: A try counts for a minute, and no longer
    - at > now - triesWindowMs
    + at >= now - triesWindowMs
  tries-next: The next try is allowed once the first of the five is a minute old
    - Math.min(...tries) + triesWindowMs
    + Math.max(...tries) + triesWindowMs

emulator/service/sign-in/password-gate.ts: ${signIn}, ${keyPage}, ${sessions}
  gate-turns: Tries that waited for their turn at the same time cannot get past the limit
    - if (refused !== undefined) return refused
    -     tries.count
    + tries.count
  gate-forget: A right password ends the count of wrong ones
    - tries.forget(email)
  gate-changed-meanwhile: A password that was changed while it was checked is wrong
    - current?.passwordHash !== account.passwordHash ||
    + !current ||
  gate-rush: At most a hundred passwords wait for their check
    - if (turns.waiting() >= mostWaiting)
    + if (turns.waiting() > mostWaiting)

emulator/service/sign-in/stored-password.ts: own, ${signIn}
  password-same-work: An unknown account costs the same work as a wrong password
    - const derived = await derive(digest, salt)
    -   if (kept === undefined) return { isRight: false }
    + if (kept === undefined) return { isRight: false }
    +   const derived = await derive(digest, salt)

emulator/service/sign-in/sessions.ts: own
  sessions-end: A session ends after 30 days exactly
    - clock.now() < session.openedAt + lifeMs
    + clock.now() <= session.openedAt + lifeMs
  sessions-before: A new sign-in ends the session that the browser had
    - if (before !== undefined) endById(before)
  sessions-most: An account has a hundred sessions at most
    - own.length - mostSessions + 1
    + own.length - mostSessions

emulator/service/sign-in/issued-keys.ts: ${keyPage}
  issued-once: A new key is shown once
    - const found = kept.get(idHash)
    -       kept.delete(idHash)
    + const found = kept.get(idHash)
  issued-minute: A new key is shown within a minute only
    - found !== undefined && now < found.until
    + found !== undefined

emulator/service/sign-in/used-tokens.ts: ${keyPage}
  tokens-once: A form that is sent twice makes one key
    - if (before !== undefined) return before
  tokens-failed: A form whose password was wrong can be sent again
    - if (!isUsed) outcomes.delete(token)

emulator/service/sign-in/key-page.ts: own
  key-signed-out: A session that ended while the password was checked makes no key
    - if (!sessions.isOpen(session)) return { kind: 'signed-out' }
    -     if (answer.kind
    + if (answer.kind

emulator/service/file-rules.ts: own, ${contract}
  file-executable: A file with the name of a program is refused
    - || executableName.test(file.name)
  file-largest: A file of exactly the limit is accepted
    - file.sizeBytes > file.maxBytes
    + file.sizeBytes >= file.maxBytes

emulator/site/forms/form-judge.ts: test/unit/emulator/site/hostile-forms.test.ts, test/unit/emulator/site/forms.test.ts
  form-wrong-token: A form with a wrong token is refused in any case
    - token === undefined ? origin === 'own' : isValid(token)
    + origin === 'own' || (token !== undefined && isValid(token))
  form-foreign: A form of another site is foreign
    - site === 'same-origin' ? 'own' : 'foreign'
    + 'own'

emulator/dashboard/access.ts: own
  dashboard-tries: Wrong control tokens count against the limit of tries
    - tries.count(request.clientIp, now())
`
