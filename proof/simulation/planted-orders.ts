/** A fault of order. */
export interface PlantedOrder {
  /** The commit that mended the fault, by the first digits of its name; absent if the project never had the fault. */
  readonly mendedBy?: string
  /** The fault, as a sentence. */
  readonly bends: string
  /** The file that is changed, by path below the root. */
  readonly file: string
  /** The replaced text, which occurs exactly once in the file. */
  readonly text: string
  /** The replacement. */
  readonly by: string
}

/**
 * Faults of order that the simulation has to find: those that this project once had, and rules that have held since they
 * were written. These faults of the past are out of its reach: those between processes of one host, whose leases a living
 * process holds past their time (`9d247c28`, `6b811d27`), those of deletions and forks (`12df658a`, `9cf08ea7`, `d9d212b5`),
 * and those between two connections to one database, such as two transactions that wait for each other.
 */
export const plantedOrders: readonly PlantedOrder[] = [
  {
    mendedBy: '27218a17',
    bends: 'A late "no" comes between a read of the inbox and the commit in which a kept "yes" answers.',
    file: 'src/core/stores/rows/consume-rows.ts',
    text: "if (inbox.some(isUnread)) return 'refused'",
    by: '',
  },
  {
    mendedBy: '27218a17',
    bends: 'After a refused commit, what is under way is begun once more.',
    file: 'src/core/runtime/drive.ts',
    text: 'await this.#load(before)',
    by: 'await this.#load()',
  },
  {
    mendedBy: 'bc6eb3fe',
    bends: 'A run comes to rest, or to its end, over a row that nobody has read.',
    file: 'src/core/stores/rows/encode-commit.ts',
    text: 'return changingKinds.has(kind) || (isEnd(commit) && queuedKinds.has(kind))',
    by: 'return false',
  },
  {
    mendedBy: 'bc9efb66',
    bends: 'A run ends over what was said to it.',
    file: 'src/core/stores/rows/encode-commit.ts',
    text: '|| (isEnd(commit) && queuedKinds.has(kind))',
    by: '',
  },
  {
    mendedBy: '46c12034',
    bends: 'Of several kept decisions the first wins.',
    file: 'src/core/runtime/inbox-event.ts',
    text: 'return later.some((row) => keptFor(row, earlier.callId).some((decision) => supersedes(decision, earlier)))',
    by: 'return false',
  },
  {
    mendedBy: '0f486a33',
    bends: 'A kept decision that was taken in early does not answer the suspension that comes later.',
    file: 'machines/tool-call/tool-call.decisions.ts',
    text: "return suspension?.reason !== 'subAgent' || action === 'cancel' || keptDecision.isWake === true",
    by: "return suspension?.reason === 'subAgent' && keptDecision.isWake === true",
  },
  {
    mendedBy: '2799f3f8',
    bends: 'A kept decision that was not used does not count as the answer to the first suspension.',
    file: 'src/core/domain/judge-decision.ts',
    text: 'if (kept !== undefined && takesKept(suspension, kept)) return kept',
    by: "if (kept !== undefined && suspension?.reason === 'approval' && rows.length > 9) return kept",
  },
  {
    mendedBy: 'd694ac04',
    bends: 'An answer to a call whose cancel is stored is taken.',
    file: 'src/core/domain/judge-decision.ts',
    text: "return answered(decision, 'stale', `A cancel of call",
    by: "if (call.callId === '') return answered(decision, 'stale', `A cancel of call",
  },
  {
    mendedBy: '436df291',
    bends: 'A commit is not held against the lease.',
    file: 'src/core/stores/rows/encode-commit.ts',
    text: 'if (head.owner !== commit.owner || head.fence !== commit.fence) throw fenceConflict(commit.runId, head, commit.fence)\n',
    by: '',
  },
  {
    mendedBy: '5bf4f719',
    bends: 'A process that was stopped launches what it had on record without a look at its lease.',
    file: 'src/core/runtime/held-lease.ts',
    text: 'if (this.#spentMs() > mostSpent * this.#options.leaseMs) return this.#renewUntilGood()',
    by: '',
  },
  {
    mendedBy: '0a77ca0d',
    bends: 'A call found running is run again where only current code says that its tool may run once.',
    file: 'src/core/effects/tools/run-tool.ts',
    text: "if (effects !== 'once' && (tool === undefined || !isOnce(tool))) return undefined",
    by: "if (effects !== 'once') return undefined",
  },
  {
    mendedBy: '6952d2f5',
    bends: 'A tool is started whose call was cancelled while its arguments were checked.',
    file: 'src/core/effects/tools/run-tool.ts',
    text: '    signal.throwIfAborted()\n',
    by: '',
  },
  {
    mendedBy: 'f8809a78',
    bends: 'What was said comes after a row that ends the run.',
    file: 'src/core/runtime/inbox-reader.ts',
    text: 'return [...said, ...kept, ...groups.flatMap((group) => group.toSorted((left, right) => slot(left) - slot(right)))]',
    by: 'return [...kept, ...groups.flatMap((group) => group.toSorted((left, right) => slot(left) - slot(right))), ...said]',
  },
  {
    mendedBy: '27218a17',
    bends: 'A call settles over a cancel of it that nobody has read.',
    file: 'src/core/stores/rows/encode-commit.ts',
    text: 'if (!isResting(commit)) return callId !== null && commit.settled.includes(callId)',
    by: 'if (!isResting(commit)) return false',
  },
  {
    mendedBy: '442f7682',
    bends: 'A publisher asks without end for a row that stands behind another one.',
    file: 'src/core/domain/outgoing.ts',
    text: "const how = { index: 'due', isRising: true, firstOf: 'lane', limit: 1 }",
    by: "const how = { index: 'due', isRising: true, limit: 1 }",
  },
  {
    mendedBy: '94a94b7f',
    bends: 'A suspension expires while its stored answer waits for its turn.',
    file: 'machines/run/run.machine.ts',
    text: "          'tellDecided',\n",
    by: '',
  },
  {
    bends: 'Two answers to one suspension are both taken.',
    file: 'src/core/domain/judge-decision.ts',
    text: "if (standing !== undefined) return answered(decision, 'stale', 'This suspension has been answered already.')",
    by: '',
  },
  {
    bends: 'A call that may run once and was found running is run again.',
    file: 'src/core/effects/tools/run-tool.ts',
    text: "if (effects !== 'once' && (tool === undefined || !isOnce(tool))) return undefined",
    by: "if (effects !== 'none' || tool === undefined || !isOnce(tool)) return undefined",
  },
  {
    bends: 'After a refused commit, what the run had taken in since its last commit is lost.',
    file: 'src/core/runtime/drive.ts',
    text: '    for (const one of takenIn) live.takeIn(one, now)\n',
    by: '',
  },
  {
    bends: 'After a refused commit, rows of the inbox that were handed out are not handed out again.',
    file: 'src/core/runtime/live-run.ts',
    text: '    inbox.rewind()\n',
    by: '',
  },
  {
    bends: 'An answer that comes after the suspension has expired is taken.',
    file: 'src/core/domain/judge-decision.ts',
    text: "if (isExpired(call, facts.now)) return answered(decision, 'stale', 'This suspension has expired.')",
    by: '',
  },
  {
    bends: 'A driver that rests is not woken by news.',
    file: 'src/core/runtime/drive.ts',
    text: '    this.#loaded?.inbox.expire()\n    this.#wake()\n',
    by: '    this.#loaded?.inbox.expire()\n',
  },
  {
    bends: 'Rules of the root do not reach its members.',
    file: 'src/core/effects/permissions/judge-call.ts',
    text: 'joinLevels({ agent: name, answer }, await Promise.all(above))',
    by: 'joinLevels({ agent: name, answer }, [])',
  },
  {
    bends: 'A request is made for which the account of the family has too little left.',
    file: 'src/core/domain/charge-account.ts',
    text: 'if (refusal !== undefined) return { answer: refusal, refuses: true, ...(stored === undefined && { account }) }',
    by: '',
  },
]
