import { type CallRecord, isTerminal } from '../../core/domain/call.ts'
import type { Decision, DecisionReceipt } from '../../core/domain/decision.ts'
import { rootIdOf } from '../../core/domain/family-link.ts'
import type { InboxRow, PostedItem, PostReceipt, StoredDecision } from '../../core/domain/inbox.ts'
import type { RecordChange } from '../../core/domain/records/record-change.ts'
import type { Commit, CommitReceipt, CommitRefused, FirstCommit, Lease, NewRun } from '../../core/ports/store.ts'
import type { Tool, ToolContext } from '../../core/ports/tool.ts'
import { saidIn } from '../crash/said.ts'
import { Accounts } from './accounts.ts'
import { SeenRun } from './seen-run.ts'

/** A violated rule. */
export interface Problem {
  readonly invariant: string
  readonly message: string
  readonly runId?: string
}

/** The fields by which lines of the story differ. */
export interface NoteFacts {
  readonly runId?: string
  readonly isFault?: true
  /** Lines that a short story leaves out first. */
  readonly isMinor?: true
}

/** One performance of a tool. */
export interface Performance {
  readonly process: string
  readonly runId: string
  readonly callId: string
  readonly toolName: string
  readonly idempotencyKey: string
  /** The text of the result; absent while it is under way, and if the process died. */
  result?: string
}

type Tell = (who: string, what: string, facts?: NoteFacts) => void

/** Everything that has reached the store or the outside, judged by rules that were written by hand. */
export class Ledger {
  readonly runs = new Map<string, SeenRun>()
  readonly performances: Performance[] = []
  /** The names of all tools that are watched. The engine performs the others itself. */
  readonly watched = new Set<string>()
  readonly accounts = new Accounts((message, root) => this.fail('the account is right', message, root))
  /** The first rule that was broken. */
  problem: Problem | undefined
  commits = 0
  /** Called after each commit. */
  onCommit: (run: SeenRun) => void = () => {}
  readonly #tell: Tell
  readonly #now: () => number

  constructor(tell: Tell, now: () => number) {
    this.#tell = tell
    this.#now = now
  }

  fail(invariant: string, message: string, runId?: string): void {
    this.problem ??= { invariant, message, ...(runId === undefined ? {} : { runId }) }
  }

  created(process: string, created: NewRun, lease: Lease, first: FirstCommit | undefined): void {
    const { id } = created
    const run = new SeenRun(created, rootIdOf(id, created.input))
    this.runs.set(id, run)
    this.#tell(process, `stores ${id}`, { runId: id })
    this.#hold(run, holderOf(process, lease))
    if (first !== undefined) this.#take(process, run, first)
  }

  #hold(run: SeenRun, holder: SeenRun['holder']): void {
    if (run.holder !== undefined && holder !== undefined) run.overtaken.add(run.holder.process)
    run.holder = holder
    run.heldSince = this.#now()
    run.read.clear()
  }

  /** A change of records, whose writes are judged. */
  changing<Answer>(change: RecordChange<Answer>): RecordChange<Answer> {
    return this.accounts.heard(change, (root) => this.runs.get(root)?.mayFinish === true)
  }

  claimed(process: string, lease: Lease): void {
    const run = this.runs.get(lease.runId)
    if (run === undefined) return
    this.#hold(run, holderOf(process, lease))
    this.#tell(process, `claims ${lease.runId}`, { runId: lease.runId })
  }

  released(process: string, { runId, fence }: Lease): void {
    const run = this.runs.get(runId)
    if (run?.holder?.fence !== fence) return
    this.#hold(run, undefined)
    this.#tell(process, `gives ${runId} back`, { runId, isMinor: true })
  }

  /** A driver has read rows of its inbox that no commit has consumed. */
  read(process: string, runId: string, rows: readonly InboxRow[]): void {
    const run = this.runs.get(runId)
    // A driver that has lost the run and does not know it yet may read on in the same process.
    if (run?.holder?.process === process && !run.overtaken.has(process))
      for (const { id } of rows) run.read.set(id, false)
    const news = rows.length === 0 ? 'nothing new' : `${rows.length} new`
    this.#tell(process, `reads the inbox of ${runId}: ${news}`, { runId, isMinor: true })
  }

  committed(process: string, commit: Commit, receipt: CommitReceipt | CommitRefused): void {
    const { runId, owner, fence, expectedVersion } = commit
    const run = this.runs.get(runId)
    if (run === undefined) return this.fail('one transcript', `${process} commits a run that nobody has stored.`, runId)
    if ('refused' in receipt) return this.#tell(process, `is refused a commit of ${runId} for unread rows`, { runId })
    if (run.holder?.owner !== owner || run.holder.fence !== fence)
      this.fail('no commit without the lease', `${process} commits ${runId} and does not hold it.`, runId)
    if (run.status === 'done') this.fail('one end', `${process} commits ${runId}, which is done.`, runId)
    if (receipt.version !== run.version + 1 || expectedVersion !== run.version)
      this.fail('one transcript', `${process} commits ${runId} over version ${run.version}, unread.`, runId)
    this.#take(process, run, commit)
    if (receipt.released === true) this.#hold(run, undefined)
  }

  #take(process: string, run: SeenRun, commit: FirstCommit): void {
    this.commits++
    run.version++
    for (const { seq } of commit.append) {
      if (seq !== run.lastSeq + 1)
        this.fail('one transcript', `Entry ${seq} of ${run.id} follows ${run.lastSeq}.`, run.id)
      run.lastSeq = seq
    }
    for (const { id, suspensionId } of commit.consumed) {
      // A kept decision that was consumed before is named once more when it answers its suspension.
      if (run.consumed.has(id) && suspensionId === undefined)
        this.fail('no message twice', `${run.id} takes row ${id} of its inbox in twice.`, run.id)
      run.consumed.add(id)
      run.unread.delete(id)
      run.read.delete(id)
    }
    // A driver that stops may return what it has not begun, and leaves what it has read to the next one.
    for (const [row, isPassed] of run.read) {
      if (isPassed)
        this.fail('no message is passed over', `${process} continues ${run.id} without taking in row ${row}.`, run.id)
      run.read.set(row, true)
    }
    const records = [
      ...commit.append.flatMap((entry) => (entry.kind === 'call' ? entry.call : [])),
      ...commit.calls.map(({ record }) => record),
    ]
    const moved = records.flatMap((record) => this.#move(run, record, commit))
    run.status = commit.status
    const state = commit.status === 'running' ? [] : [`the run is ${commit.status}`]
    const what = [...moved, ...state].join(', ')
    if (what === '') this.#tell(process, `commits ${run.id}`, { runId: run.id, isMinor: true })
    else this.#tell(process, `commits ${run.id}: ${what}`, { runId: run.id })
    this.onCommit(run)
  }

  /** Judges the move of a call by the decisions that had landed before. */
  #move(run: SeenRun, record: CallRecord, commit: FirstCommit): readonly string[] {
    const { callId, status, suspension } = record
    const call = run.call(callId)
    const before = call.status
    const fail = (rule: string, what: string) => this.fail(rule, `Call ${callId} of ${run.id} ${what}.`, run.id)
    if (before === status && call.suspension?.id === suspension?.id) return []
    if (before !== undefined && isTerminal(before) && before !== status)
      fail('one result', `was ${before} and is ${status}`)
    call.status = status
    call.suspension = suspension
    if (suspension?.reason === 'interrupted' && status === 'suspended' && call.startedUnder === run.holder?.fence)
      fail('nothing is interrupted in vain', 'is interrupted by its own driver')
    // A call that comes after one that waits ends as not executed, whether or not its cancel was read before.
    const isLeftOut = status === 'failed' && call.starts === 0
    if (isTerminal(status) && status !== 'cancelled' && !isLeftOut && run.cancelledCalls.has(callId))
      fail('a cancel counts', `was cancelled and is ${status}`)
    const last = call.decisions.at(-1)
    const goesOn = status === 'resuming' || status === 'running'
    if (goesOn && before !== status && suspension !== undefined && last?.action === 'cancel')
      fail('the last decision counts', 'goes on, and was denied last')
    if (status === 'cancelled' && last?.action === 'resume' && !this.#mayCancel(run, callId, last, commit))
      fail('the last decision counts', 'is cancelled, and was approved last')
    return [`call ${callId} is ${status}${status === 'suspended' ? ` (${suspension?.reason ?? ''})` : ''}`]
  }

  /** A call may be cancelled over a yes if the run ends, or somebody has cancelled it, or changed what the run is to do. */
  #mayCancel(run: SeenRun, callId: string, yes: StoredDecision, commit: FirstCommit): boolean {
    const isEnding = commit.status === 'done' || commit.outcome !== undefined || run.isCancelled
    if (isEnding || run.cancelledCalls.has(callId) || run.said.length > 0) return true
    // A yes that was kept may come too late for a suspension that expires.
    return yes.suspensionId === null && run.calls.get(callId)?.suspension?.expiresAt !== undefined
  }

  decided(
    process: string,
    runId: string,
    rows: readonly InboxRow[],
    { decisions, receipts }: { readonly decisions: readonly Decision[]; readonly receipts: readonly DecisionReceipt[] },
  ): void {
    const run = this.runs.get(runId)
    if (run === undefined) return
    for (const [index, { answer, decisionId, target }] of receipts.entries()) {
      const { action, by = 'Somebody' } = decisions[index] ?? {}
      const word = action === 'cancel' ? 'no' : 'yes'
      this.#tell(by, `says ${word} to call ${target} of ${runId} at ${process}: ${answer}`, { runId })
      if (answer !== 'applied' && answer !== 'kept') continue
      const row = rows.find(({ item }) => item.kind === 'decision' && item.decision.decisionId === decisionId)
      if (row !== undefined) this.#hear(run, row, answer)
    }
  }

  /** The answer of a service is a decision, too. */
  answered(process: string, runId: string, rows: readonly InboxRow[], { answer, target }: PostReceipt): void {
    const run = this.runs.get(runId)
    const row = rows.at(-1)
    this.#tell('The service', `answers call ${target} of ${runId} at ${process}: ${answer}`, { runId })
    if (run !== undefined && row !== undefined && answer === 'applied') this.#hear(run, row, answer)
  }

  #hear(run: SeenRun, { id, item }: InboxRow, answer: 'applied' | 'kept'): void {
    if (item.kind !== 'decision') return
    const { decision } = item
    const { callId, suspensionId, action } = decision
    const call = run.call(callId)
    const fail = (why: string) =>
      this.fail('one answer', `An answer to call ${callId} is ${answer}, and ${why}.`, run.id)
    run.unread.set(id, this.#now())
    if ((answer === 'applied') !== (call.status === 'suspended' && call.suspension?.id === suspensionId))
      fail(`the call is ${call.status}`)
    if (answer === 'applied' && (call.suspension?.expiresAt ?? Infinity) <= decision.at) fail('its time is over')
    if (run.cancelledCalls.has(callId)) fail('its cancel is stored')
    if (suspensionId !== null && call.decisions.some((one) => one.suspensionId === suspensionId))
      fail('so was another one to this question')
    call.decisions.push(decision)
    if (action === 'resume') call.resumes++
  }

  posted(process: string, runId: string, item: PostedItem, { answer }: PostReceipt): void {
    const run = this.runs.get(runId)
    const name = item.kind === 'cancelCall' ? `a cancel of call ${item.callId}` : `a ${item.kind}`
    this.#tell('Somebody', `hands in ${name} for ${runId} at ${process}: ${answer}`, { runId })
    if (run === undefined || answer !== 'applied') return
    if (item.kind === 'cancel') run.isCancelled = true
    if (item.kind === 'cancelCall') run.cancelledCalls.add(item.callId)
    run.said.push(...saidIn(item))
  }

  /** A tool is started. Returns the record of its performance, which takes the result. */
  started(process: string, context: ToolContext, { effects = 'once' }: Tool, denied: string | undefined): Performance {
    const { runId, callId, toolName, idempotencyKey } = context
    const performance: Performance = { process, runId, callId, toolName, idempotencyKey }
    this.performances.push(performance)
    const start = `starts ${toolName} for call ${callId} of ${runId}`
    this.#tell(process, start, { runId })
    const run = this.runs.get(runId)
    if (run === undefined) return performance
    const call = run.call(callId)
    const fail = (rule: string, why: string) => this.fail(rule, `${process} ${start}, ${why}.`, runId)
    if (denied !== undefined) fail('rules hold', `and a rule denies ${denied}`)
    if (call.status !== 'running') fail('no effect before its commit', `which is ${call.status ?? 'unknown'}`)
    if (run.holder?.process !== process) fail('no effect without the lease', 'and does not hold it')
    if (effects === 'once' && call.starts > 0 && call.resumes === 0)
      fail('no effect twice', 'which has started before, and nobody has asked for that')
    call.starts++
    call.startedUnder = run.holder?.fence
    call.resumes = 0
    return performance
  }
}

function holderOf(process: string, { owner, fence }: Lease): SeenRun['holder'] {
  return { process, owner: owner.id, fence }
}
