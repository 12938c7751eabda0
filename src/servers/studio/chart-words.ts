import type { ChartArrow } from '../../../machines/index.ts'

/** The labels of the engine's transitions for people, by event, guard and states. The first match counts. */
const words: readonly (readonly [RegExp, string])[] = [
  [/waiting → running/, 'answered'],
  [/run\.cancelRequested|call\.cancel/, 'cancelled'],
  [/run\.failed|hasErred/, 'engine error'],
  [/TimeOver/, 'time over'],
  [/terminates/, 'ended by a plugin'],
  [/isRejected/, 'input refused'],
  [/(?:answersSuspension|keepsInTime|isDecidedByKept).*resume/, 'approved'],
  [/(?:answersSuspension|keepsInTime|isDecidedByKept).*cancel/, 'denied'],
  [/hasPerformed.*succeeded/, 'tool finished'],
  [/hasPerformed.*failed/, 'tool failed'],
  [/done\(runTool\) \[\]/, 'the tool asks'],
  [/resuming\.judging → suspended/, 'asks again'],
  [/judging → suspended/, 'asks first'],
  [/done\(modelCall\) \[\]/, 'answered'],
  [/suspended\.resting → cancelled/, 'nobody answered'],
  [/hasManagerFailed/, 'permission check failed'],
  [/mustAskManager/, 'permission asked'],
  [/isUnheardAtEnd|mustFilterQueued|hasQueued|isReopened/, 'new message'],
  [/isEndPutOff/, 'end deferred'],
  [/hasPlaceholders/, 'continues beside'],
  [/mustWait|isWait/, 'must wait'],
  [/goesStraightOn|judging → running\.turn/, 'ask the model'],
  [/mustReplay|hasApplicable|appliesAtOnce|call\.decided|goesOn/, 'answered'],
  [/hasSettledCalls|isReplayOver/, 'results in'],
  [/hasNoOpenCalls|isSettled/, 'no open call'],
  [/hasPlannedOutcome/, 'finished'],
  [/reachesLimit|isExhausted/, 'limit reached'],
  [/holdsOnFailure|done\(callModel\) \[\]|hasFailed/, 'no model answered'],
  [/mayAnswerAgain|isRefused\(outcome|wasRefused/, 'answer refused'],
  [/isOnlyHeld/, 'nothing to do'],
  [/skipsRound|hasNoNewCalls|mustSkipRest|isSkipped|call\.skip/, 'calls skipped'],
  [/hasCalls/, 'tools called'],
  [/isContractBroken|isMisfit/, 'wrong output'],
  [/hasConflict/, 'calls changed'],
  [/isRoundOver|committingResults →/, 'tools finished'],
  [/isBatchOver/, 'next batch'],
  [/goingOn → running\.resumeGate/, 'turn over'],
  [/committingUser →/, 'message stored'],
  [/hasOutcome/, 'ended early'],
  [/isEndMade|isEnded|closing\.\w+ → done/, 'ended'],
  [/isWatched|isReviewed|isErrorHeard|isCallGatePending/, 'plugin asked'],
  [/isQueued/, 'its turn later'],
  [/isAllowed/, 'allowed'],
  [/isRefused|lacksSuspension/, 'refused'],
  [/isSupplied/, 'result given'],
  [/call\.start/, 'its turn'],
  [/mayRetry/, 'try again'],
  [/hasAnswered/, 'answered'],
  [/mayContinue/, 'cut off'],
  [/maySwitch/, 'next model'],
  [/mayRefresh/, 'key refused'],
  [/hasRefreshed/, 'new key'],
  [/mayCompact|hasOutgrown|isSummaryDue/, 'prompt too long'],
  [/mayLeaveOut/, 'media refused'],
  [/isLost/, 'a branch is lost'],
  [/isOver/, 'all ended'],
  [/done\(evaluate\)/, 'selected'],
  [/^(?:always|done\(\w+\)) \[\]/, ''],
]

/** Labels of paths that a run rarely takes. */
const seldom =
  /again|early|results in|cancelled|error|time over|plugin|refused|failed|limit|no model|changed|skipped|deferred|wrong|beside/

/** Returns a transition's label for people: for a foreign chart, its event or else its guard. */
export function wordsOf({ event, guard, from, to }: ChartArrow, isOurs: boolean): string {
  const text = `${event} [${guard}] ${from} → ${to}`
  const found = isOurs ? words.find(([pattern]) => pattern.test(text)) : undefined
  if (found !== undefined) return found[1]
  return event === 'always' ? guard : event
}

/** Returns true for the label of a path that a run rarely takes. */
export function isSeldom(text: string): boolean {
  return seldom.test(text)
}

/** The maximum lines of a label, and the maximum characters of one; further words are counted. */
const mostLines = 2
const longest = 22

/**
 * Returns the lines of a label, the most frequent words first. A line whose words usually mean nothing has no label.
 */
export function labelOf(all: readonly string[]): readonly string[] {
  const told = all.filter((one) => one !== '')
  if (told.length < all.length && told.every(isSeldom)) return []
  const sorted = told.toSorted((one, other) => Number(isSeldom(one)) - Number(isSeldom(other)))
  const lines = sorted.slice(0, mostLines).map((one) => (one.length > longest ? `${one.slice(0, longest)}…` : one))
  const more = sorted.length - lines.length
  return more > 0 ? [...lines.slice(0, -1), `${lines.at(-1) ?? ''} +${more}`] : lines
}

/** Returns a state's name as words. */
export function nameOf(path: string): string {
  const name = path.split('.').at(-1) ?? path
  return name.replaceAll(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
}
