import type { MutantsOfFile } from '../mutate.ts'

const matching = 'test/unit/client/exactly-once/match-uploads.test.ts'
const registry = 'test/unit/client/exactly-once/upload-registry.test.ts'
const lookalikes = 'test/unit/client/exactly-once/lookalikes.test.ts'
const client = 'test/client/exactly-once.test.ts'
const clientLookalikes = 'test/client/lookalikes.test.ts'
const resume = 'test/cli/resume.test.ts'
const known = 'test/cli/known-content.test.ts'
const company = 'test/cli/runs-in-company.test.ts'

/** Rules of exactly once: src/client/exactly-once, src/client/retry.ts and src/cli/commands/upload/once. */
export const exactlyOnce: readonly MutantsOfFile[] = [
  {
    file: 'src/client/retry.ts',
    tests: ['test/unit/client/retry.test.ts', client],
    mutants: [
      {
        id: 'retry-body-left',
        rule: 'An attempt that ended before its last byte left stored nothing',
        from: 'if (!end.bodyFinished) return false',
        to: '',
      },
      {
        id: 'retry-whole-body',
        rule: 'An upload is not sent again if it may have been stored',
        from: "if (policy.repeatable === 'unless-stored' && mayBeStored(end)) return { type: 'unknown' }",
        to: '',
      },
      {
        id: 'retry-proxy-page',
        rule: "Only a 503 in the service's own words proves that nothing was stored",
        from: "status === 503 && shape === 'error'",
        to: 'status === 503',
      },
      {
        id: 'retry-count',
        rule: 'So many failures are retried, and no more',
        from: 'failures >= policy.retries',
        to: 'failures > policy.retries',
      },
    ],
  },
  {
    file: 'src/client/exactly-once/match-uploads.ts',
    tests: [matching, client],
    mutants: [
      {
        id: 'match-known',
        rule: 'A slug that was known before the upload is another file',
        from: '!known.has(slug) && !sought.isKnown(slug)',
        to: '!sought.isKnown(slug)',
      },
      {
        id: 'match-ours',
        rule: 'An upload of this client is no other upload',
        from: '!known.has(slug) && !sought.isKnown(slug)',
        to: '!known.has(slug)',
      },
      {
        id: 'match-others',
        rule: 'An entry that another upload explains proves nothing',
        from: ' && !mayBeAnothers(only)',
        to: '',
      },
      {
        id: 'match-since',
        rule: 'An entry that may be older than the upload proves nothing',
        from: 'if (isDated && candidates.length === 1',
        to: 'if (only && candidates.length === 1',
      },
      {
        id: 'match-only-one',
        rule: 'Of several entries that look like the upload none proves it',
        from: 'isDated && candidates.length === 1',
        to: 'isDated && candidates.length > 0',
      },
      {
        id: 'match-late-commit',
        rule: 'A server may store an upload for ten minutes after a proxy has given up',
        from: 'ended + LATEST_COMMIT_MS',
        to: 'ended',
      },
      {
        id: 'match-type',
        rule: 'An entry of another type is no upload of this file',
        from: 'size === intent.size && essence(mime_type) === essence(intent.mimeType)',
        to: 'size === intent.size',
      },
      {
        id: 'match-hour-off',
        rule: 'An entry an hour off leaves the outcome open',
        from: '[-HOUR_MS, HOUR_MS]',
        to: '[HOUR_MS]',
      },
      {
        id: 'match-strange',
        rule: 'A strange entry leaves the outcome open where the service may change files',
        from: "likely.length > 0 || treatment === 'keeps' ? likely : strange",
        to: 'likely',
      },
      {
        id: 'match-page-bound',
        rule: 'The list is read back to the earliest instant at which the upload may have begun',
        from: 'span.to >= begun.from',
        to: 'span.to >= begun.to',
      },
    ],
  },
  {
    file: 'src/client/exactly-once/reconcile.ts',
    tests: [client, clientLookalikes],
    mutants: [
      {
        id: 'reconcile-alone',
        rule: 'The list alone proves nothing where other programs upload to the account',
        from: "match.type === 'stored' && !isAlone",
        to: "match.type === 'stored' && false",
      },
      {
        id: 'reconcile-second-look',
        rule: 'An upload that the list does not show is looked for again',
        from: "if (outcomes.every(({ type }, index) => type === 'stored' || isQuiet[index])) return outcomes",
        to: 'return outcomes',
      },
      {
        id: 'reconcile-wait',
        rule: 'The second look waits until a list that lags shows the upload',
        from: 'await clock.sleep(ms, options.signal)',
        to: '',
      },
      {
        id: 'reconcile-adopted',
        rule: 'An entry that was found is taken for no other upload',
        from: "for (const outcome of told) if (outcome.type === 'stored') registry.adopted(outcome.upload)",
        to: '',
      },
      {
        id: 'reconcile-open-stays',
        rule: 'An upload that stays open may still explain what the list shows of others',
        from: "if (type !== 'ambiguous') untrack[index]?.()",
        to: 'untrack[index]?.(type)',
      },
    ],
  },
  {
    file: 'src/client/exactly-once/unknown-outcome.ts',
    tests: [client],
    mutants: [
      {
        id: 'unknown-spent',
        rule: 'A stream that can be sent only once is not sent again',
        from: 'if (!source.replayable) throw spentOutcome(unknown, source)',
        to: '',
      },
      {
        id: 'unknown-final',
        rule: 'An upload that was not stored is not sent again where the answer is final',
        from: 'if (isFinal) throw finalOutcome(unknown)',
        to: '',
      },
      {
        id: 'unknown-said-stored',
        rule: 'After a success that cannot be read other bytes in the list leave the outcome open',
        from: 'isSaidStored ? storedAtLeastOnce(search.tellApart) : search.tellApart',
        to: 'search.tellApart',
      },
    ],
  },
  {
    file: 'src/client/exactly-once/upload-attempts.ts',
    tests: [client],
    mutants: [
      {
        id: 'attempts-first-uncertain',
        rule: 'The intent begins with the first attempt that may have been stored',
        from: 'if (!isUncertain || start === undefined) start = begin()',
        to: 'start = begin()',
      },
      {
        id: 'attempts-intent-first',
        rule: 'No byte leaves before the intent is kept',
        from: 'await onIntent?.(intentOf(start))',
        to: 'void onIntent?.(intentOf(start))',
      },
    ],
  },
  {
    file: 'src/client/exactly-once/upload-registry.ts',
    tests: [registry, client],
    mutants: [
      {
        id: 'registry-changes',
        rule: 'One changed file outweighs many kept ones',
        from: "if (treatments.get(mimeType) !== 'changes') treatments.set",
        to: 'treatments.set',
      },
      {
        id: 'registry-mark',
        rule: 'What the list first shows after a mark was not seen before it',
        from: '(seen.get(slug) ?? Number.POSITIVE_INFINITY) < mark',
        to: '(seen.get(slug) ?? Number.POSITIVE_INFINITY) <= mark',
      },
    ],
  },
  {
    file: 'src/client/exactly-once/keyed-mutex.ts',
    tests: ['test/unit/client/exactly-once/keyed-mutex.test.ts'],
    mutants: [
      {
        id: 'mutex-giving-up',
        rule: 'A waiter that gives up keeps those behind it waiting for those in front of it',
        from: 'before === undefined ? released : before.then(() => released)',
        to: 'released',
      },
    ],
  },
  {
    file: 'src/client/exactly-once/lookalikes.ts',
    tests: [lookalikes, clientLookalikes, client],
    mutants: [
      {
        id: 'lookalikes-fewest-first',
        rule: 'A file with few candidates takes its own before one with many',
        from: 'files.toSorted((one, other) => same(one).length - same(other).length)',
        to: 'files',
      },
      {
        id: 'lookalikes-changed',
        rule: 'Other bytes rule an upload out only where the service keeps files as they are sent',
        from: "isKept && likeness[index] === 'different'",
        to: "likeness[index] === 'different'",
      },
      {
        id: 'lookalikes-one-each',
        rule: 'Of several uploads with the same bytes each file takes one',
        from: 'others.add(upload.slug)',
        to: '',
      },
      {
        id: 'lookalikes-whole',
        rule: 'Samples rule a file out; only its digest proves it',
        from: "return sha256 === print.sha256 ? 'same' : 'different'",
        to: "return 'same'",
      },
    ],
  },
  {
    file: 'src/client/exactly-once/service-clock.ts',
    tests: ['test/unit/client/exactly-once/service-clock.test.ts'],
    mutants: [
      {
        id: 'clock-passed',
        rule: "The service's time that has passed never goes back",
        from: 'passed = Math.max(passed, serviceNow)',
        to: 'passed = serviceNow',
      },
    ],
  },
  {
    file: 'src/client/exactly-once/created-at.ts',
    tests: ['test/unit/client/exactly-once/created-at.test.ts', matching],
    mutants: [
      {
        id: 'created-rounded-down',
        rule: 'A time of whole seconds may be up to a second too early',
        from: 'to: createdAt + ROUNDED_DOWN_MS',
        to: 'to: createdAt',
      },
    ],
  },
  {
    file: 'src/cli/commands/upload/once/left-file.ts',
    tests: ['test/unit/cli/commands/upload/once/left-file.test.ts', resume],
    mutants: [
      {
        id: 'left-changed-since',
        rule: 'A file that was changed after the kill is not taken for what was sent',
        from: ' || changedAt(before) >= unchangedSince',
        to: '',
      },
      {
        id: 'left-guess',
        rule: 'Other bytes than those of a file that may have been changed conclude nothing',
        from: "isGuess && compared.type !== 'stored' ? listed : compared",
        to: 'compared',
      },
    ],
  },
  {
    file: 'src/cli/commands/upload/once/lookalikes.ts',
    tests: ['test/unit/cli/commands/upload/once/lookalikes.test.ts', company, 'test/cli/lookalikes.test.ts'],
    mutants: [
      {
        id: 'runs-first-takes',
        rule: 'Of two runs that look for the same bytes the first in the journal takes them',
        from: '!(other.isLooking && index > own)',
        to: '!other.isLooking',
      },
      {
        id: 'runs-not-all-sent',
        rule: 'What is not all sent cannot be stored',
        from: "asked.has(other.id) || other.sha256 === ''",
        to: 'asked.has(other.id)',
      },
    ],
  },
  {
    file: 'src/cli/commands/upload/once/known-content.ts',
    tests: [known, resume],
    mutants: [
      {
        id: 'known-batch',
        rule: 'Of two files of a batch with the same size the content is compared',
        from: '(counts.get(bytes) ?? 0) > 1 || mayHave(bytes)',
        to: 'mayHave(bytes)',
        known: 'A claim without a hash asks for it once another claim has its size: only the moment of reading differs',
      },
      {
        id: 'known-gone',
        rule: 'An upload that the service no longer has is forgotten',
        from: 'account.journal.forget([slug])',
        to: '',
      },
    ],
  },
  {
    file: 'src/cli/commands/upload/once/presence.ts',
    tests: ['test/unit/cli/commands/upload/once/presence.test.ts', known],
    mutants: [
      {
        id: 'presence-only-404',
        rule: "Only the service's own 404 says that an upload is gone",
        from: 'if (error instanceof NotFoundError) return undefined',
        to: 'if (error) return undefined',
      },
      {
        id: 'presence-recent',
        rule: 'A recent upload that is missing is asked for once more',
        from: 'isRecent && !found.has(slug)',
        to: 'false && !found.has(slug)',
      },
      {
        id: 'presence-no-dearer',
        rule: 'Reading pages never costs much more than asking for each upload',
        from: ' && read - found < Math.max(venture, 1)',
        to: '',
      },
    ],
  },
  {
    file: 'src/cli/commands/upload/once/resume.ts',
    tests: ['test/unit/cli/commands/upload/once/resume.test.ts', resume],
    mutants: [
      {
        id: 'resume-held',
        rule: 'A file waits while uploads of its size are looked for',
        from: 'if (search?.sizes.has(size)) await orAborted(search.ended, waitSignal)',
        to: '',
      },
      {
        id: 'resume-unknown',
        rule: 'A file is not sent while nothing tells whether an earlier run stored it',
        from: "if ((outcomeOf.get(entry.intent.id)?.type ?? 'ambiguous') === 'ambiguous') throw stillUnknown()",
        to: '',
        known: 'The upload stays open, and settlingOnce of outcome-of-others.ts throws the same when it is asked again',
      },
    ],
  },
  {
    file: 'src/cli/commands/upload/once/upload-once.ts',
    tests: [known, resume, 'test/cli/interruption.test.ts', 'test/cli/upload.test.ts'],
    mutants: [
      {
        id: 'once-unknown',
        rule: 'An upload of unknown outcome stays open for the next run',
        from: 'if (error instanceof UnknownOutcomeError) claim.unknown()\n    else claim.notStored()',
        to: 'claim.notStored()',
      },
      {
        id: 'once-all-sent',
        rule: 'An upload that is interrupted after its last byte may have been stored',
        from: 'throw isEnded && grace.allSent() ? mayBeStored(error) : error',
        to: 'throw error',
        known: 'test/cli/terminal-signals.test.ts holds it of the built program, which no mutant reaches',
      },
    ],
  },
  {
    file: 'src/cli/commands/upload/once/list-look.ts',
    tests: ['test/unit/cli/commands/upload/once/list-look.test.ts', 'test/fleet/contents.test.ts'],
    mutants: [
      {
        id: 'look-not-compared',
        rule: 'Nothing is sent while an upload of its size in the list cannot be compared',
        from: 'if (upload === undefined && unclear.length > 0) throw notCompared(unclear)',
        to: '',
      },
    ],
  },
  {
    file: 'src/cli/commands/upload/once/shared-claim.ts',
    tests: ['test/unit/cli/commands/upload/once/shared-claim.test.ts', 'test/cli/fleet-uploads.test.ts'],
    mutants: [
      {
        id: 'claim-old-look',
        rule: 'A run that is cut off from the fleet looks again where its last look is old',
        from: 'if (isLookOld()) throw new ClaimLostError()',
        to: '',
      },
      {
        id: 'claim-lost',
        rule: 'Nothing is sent once the claim is lost',
        from: 'if (own && !(await own.intend(describeIntent(intent), signal))) throw new ClaimLostError()',
        to: 'await own?.intend(describeIntent(intent), signal)',
      },
      {
        id: 'claim-open',
        rule: 'An upload of unknown outcome stays open for the fleet',
        from: "release(isIntended || isInheritedOpen() ? 'open' : 'not-stored')",
        to: "release('not-stored')",
      },
    ],
  },
]
