const matching = 'test/unit/client/exactly-once/match-uploads.test.ts'
const client = 'test/client/exactly-once.test.ts'
const clientLookalikes = 'test/client/lookalikes.test.ts'
const resume = 'test/cli/resume.test.ts'
const known = 'test/cli/known-content.test.ts'
const company = 'test/cli/runs-in-company.test.ts'

/** Rules of exactly once: src/client/exactly-once, src/client/retry.ts and src/cli/commands/upload/once. */
export const exactlyOnce = `
src/client/retry.ts: own, ${client}
  retry-body-left: An attempt that ended before its last byte left stored nothing
    - if (!end.bodyFinished) return false
  retry-whole-body: An upload is not sent again if it may have been stored
    - if (policy.repeatable === 'unless-stored' && mayBeStored(end)) return { type: 'unknown' }
  retry-proxy-page: Only a 503 in the service's own words proves that nothing was stored
    - status === 503 && shape === 'error'
    + status === 503
  retry-count: So many failures are retried, and no more
    - failures >= policy.retries
    + failures > policy.retries

src/client/exactly-once/match-uploads.ts: own, ${client}
  match-known: A slug that was known before the upload is another file
    - !known.has(slug) && !sought.isKnown(slug)
    + !sought.isKnown(slug)
  match-ours: An upload of this client is no other upload
    - !known.has(slug) && !sought.isKnown(slug)
    + !known.has(slug)
  match-others: An entry that another upload explains proves nothing
    - && !mayBeAnothers(only)
  match-since: An entry that may be older than the upload proves nothing
    - if (isDated && candidates.length === 1
    + if (only && candidates.length === 1
  match-only-one: Of several entries that look like the upload none proves it
    - isDated && candidates.length === 1
    + isDated && candidates.length > 0
  match-late-commit: A server may store an upload for ten minutes after a proxy has given up
    - ended + LATEST_COMMIT_MS
    + ended
  match-type: An entry of another type is no upload of this file
    - size === intent.size && essence(mime_type) === essence(intent.mimeType)
    + size === intent.size
  match-hour-off: An entry an hour off leaves the outcome open
    - [-HOUR_MS, HOUR_MS]
    + [HOUR_MS]
  match-strange: A strange entry leaves the outcome open where the service may change files
    - likely.length > 0 || treatment === 'keeps' ? likely : strange
    + likely
  match-page-bound: The list is read back to the earliest instant at which the upload may have begun
    - span.to >= begun.from
    + span.to >= begun.to

src/client/exactly-once/reconcile.ts: ${client}, ${clientLookalikes}
  reconcile-alone: The list alone proves nothing where other programs upload to the account
    - match.type === 'stored' && !isAlone
    + match.type === 'stored' && false
  reconcile-second-look: An upload that the list does not show is looked for again
    - if (left.every(isOver)) break
    + break
  reconcile-wait: The second look waits until a list that lags shows the upload
    - await clock.sleep(ms, options.signal)
  reconcile-adopted: An entry that was found is taken for no other upload
    - for (const outcome of told) if (outcome?.type === 'stored') registry.adopted(outcome.upload)
  reconcile-open-stays: An upload that stays open may still explain what the list shows of others
    - if (type !== 'ambiguous') untrack[index]?.()
    + untrack[index]?.(type)

src/client/exactly-once/unknown-outcome.ts: ${client}
  unknown-spent: A stream that can be sent only once is not sent again
    - if (!source.replayable) throw spentOutcome(unknown, source)
  unknown-final: An upload that was not stored is not sent again where the answer is final
    - if (isFinal) throw finalOutcome(unknown)
  unknown-said-stored: After a success that cannot be read other bytes in the list leave the outcome open
    - isSaidStored ? storedAtLeastOnce(search.tellApart) : search.tellApart
    + search.tellApart

src/client/exactly-once/upload-attempts.ts: ${client}
  attempts-first-uncertain: The intent begins with the first attempt that may have been stored
    - if (!isUncertain || start === undefined) start = begin()
    + start = begin()
  attempts-intent-first: No byte leaves before the intent is kept
    - await onIntent?.(intentOf(start))
    + void onIntent?.(intentOf(start))

src/client/exactly-once/upload-registry.ts: own, ${client}
  registry-changes: One changed file outweighs many kept ones
    - if (treatments.get(mimeType) !== 'changes') treatments.set
    + treatments.set
  registry-mark: What the list first shows after a mark was not seen before it
    - (seen.get(slug) ?? Number.POSITIVE_INFINITY) < mark
    + (seen.get(slug) ?? Number.POSITIVE_INFINITY) <= mark

src/client/exactly-once/keyed-mutex.ts: ${client}
  mutex-giving-up: A waiter that gives up keeps those behind it waiting for those in front of it
    - before === undefined ? released : before.then(() => released)
    + released

src/client/exactly-once/lookalikes.ts: own, ${clientLookalikes}, ${client}
  lookalikes-fewest-first: A file with few candidates takes its own before one with many
    - files.toSorted((one, other) => same(one).length - same(other).length)
    + files
  lookalikes-changed: Other bytes rule an upload out only where the service keeps files as they are sent
    - isKept && likeness[index] === 'different'
    + likeness[index] === 'different'
  lookalikes-one-each: Of several uploads with the same bytes each file takes one
    - others.add(upload.slug)
  lookalikes-whole: Samples rule a file out; only its digest proves it
    - return sha256 === print.sha256 ? 'same' : 'different'
    + return 'same'

src/client/exactly-once/service-clock.ts: own
  clock-passed: The service's time that has passed never goes back
    - passed = Math.max(passed, serviceNow)
    + passed = serviceNow

src/client/exactly-once/created-at.ts: own, ${matching}
  created-rounded-down: A time of whole seconds may be up to a second too early
    - to: createdAt + ROUNDED_DOWN_MS
    + to: createdAt

src/cli/commands/upload/once/left-file.ts: own, ${resume}
  left-changed-since: A file that was changed after the kill is not taken for what was sent
    - || changedAt(before) >= unchangedSince
  left-guess: Other bytes than those of a file that may have been changed conclude nothing
    - isGuess && compared.type !== 'stored' ? listed : compared
    + compared

src/cli/commands/upload/once/run-lookalikes.ts: own, ${company}, test/cli/lookalikes.test.ts
  runs-first-takes: Of two runs that look for the same bytes the first in the journal takes them
    - !(other.isLooking && index > own)
    + !other.isLooking
  runs-not-all-sent: What is not all sent cannot be stored
    - asked.has(other.id) || other.sha256 === ''
    + asked.has(other.id)

src/cli/commands/upload/once/known-content.ts: ${known}, ${resume}
  known-batch: Of two files of a batch with the same size the content is compared
    - (counts.get(bytes) ?? 0) > 1 || mayHave(bytes)
    + mayHave(bytes)
    ? A claim without a hash asks for it once another claim has its size: only the moment of reading differs
  known-gone: An upload that the service no longer has is forgotten
    - account.journal.forget([slug])

src/cli/commands/upload/once/presence.ts: own, ${known}
  presence-only-404: Only the service's own 404 says that an upload is gone
    - if (error instanceof NotFoundError) return undefined
    + if (error) return undefined
  presence-recent: A recent upload that is missing is asked for once more
    - isRecent && !found.has(slug)
    + false && !found.has(slug)
  presence-no-dearer: Reading pages never costs much more than asking for each upload
    - && read - found < Math.max(venture, 1)

src/cli/commands/upload/once/resume.ts: own, ${resume}
  resume-held: A file waits while uploads of its size are looked for
    - if (search?.sizes.has(size)) await orAborted(search.ended, waitSignal)
  resume-unknown: A file is not sent while nothing tells whether an earlier run stored it
    - if ((outcomeOf.get(entry.intent.id)?.type ?? 'ambiguous') === 'ambiguous') throw stillUnknown()
    ? The upload stays open, and settlingOnce of outcome-of-others.ts throws the same when it is asked again

src/cli/commands/upload/once/upload-once.ts: ${known}, ${resume}, test/cli/interruption.test.ts, test/cli/upload.test.ts
  once-unknown: An upload of unknown outcome stays open for the next run
    - if (error instanceof UnknownOutcomeError) claim.unknown()
    -     else claim.notStored()
    + claim.notStored()
  once-all-sent: An upload that is interrupted after its last byte may have been stored
    - throw isEnded && grace.allSent() ? mayBeStored(error) : error
    + throw error
    ? test/cli/terminal-signals.test.ts holds it of the built program, which no mutant reaches

src/cli/commands/upload/once/list-look.ts: own, test/fleet/contents.test.ts
  look-not-compared: Nothing is sent while an upload of its size in the list cannot be compared
    - if (upload === undefined && unclear.length > 0) throw notCompared(unclear)

src/cli/commands/upload/once/shared-claim.ts: own, test/cli/fleet-uploads.test.ts
  claim-old-look: A run that is cut off from the fleet looks again where its last look is old
    - if (isLookOld()) throw new ClaimLostError()
  claim-lost: Nothing is sent once the claim is lost
    - if (own && !(await own.intend(describeIntent(intent), signal))) throw new ClaimLostError()
    + await own?.intend(describeIntent(intent), signal)
  claim-open: An upload of unknown outcome stays open for the fleet
    - release(isIntended || isInheritedOpen() ? 'open' : 'not-stored')
    + release('not-stored')
`
