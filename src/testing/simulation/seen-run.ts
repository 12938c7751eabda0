import type { CallRecord, CallStatus } from '../../core/domain/call.ts'
import type { StoredDecision } from '../../core/domain/inbox.ts'
import type { RunOptions } from '../../../machines/run/run.types.ts'
import type { RunStatus } from '../../core/domain/outcome.ts'
import type { NewRun } from '../../core/ports/commit.ts'
import type { Said } from '../crash/said.ts'

/** A call according to the commits. */
export class SeenCall {
  status: CallStatus | undefined
  suspension: CallRecord['suspension']
  readonly decisions: StoredDecision[] = []
  starts = 0
  /** Number of the lease under which the tool was started last. */
  startedUnder: number | undefined
  /** Approving answers since the tool was started last. */
  resumes = 0
}

/** A run according to the commits. Nothing has been committed when it is first seen. */
export class SeenRun {
  readonly id: string
  /** The first run of its family; its own id if it has no parent. */
  readonly root: string
  /** True if it may make one last request beyond its limits. */
  readonly mayFinish: boolean
  version = 0
  lastSeq: number
  status: RunStatus = 'running'
  holder: { readonly process: string; readonly owner: string; readonly fence: number } | undefined
  /** Since when its lease has this owner or none. */
  heldSince = 0
  /** Processes whose lease another driver has taken. */
  readonly overtaken = new Set<string>()
  isCancelled = false
  readonly calls = new Map<string, SeenCall>()
  readonly cancelledCalls = new Set<string>()
  readonly said: Said[] = []
  readonly consumed = new Set<number>()
  /** Rows that its driver has read and no commit has consumed; true for one that a commit has left out. */
  readonly read = new Map<number, boolean>()
  /** Decisions that no commit has processed, by row, with the times of their arrival. */
  readonly unread = new Map<number, number>()

  constructor({ id, input, continues }: NewRun, root: string) {
    const { options } = input as { readonly options?: Partial<Pick<RunOptions, 'limits'>> }
    this.id = id
    this.root = root
    this.mayFinish = options?.limits?.some(({ action }) => action === 'finish') === true
    this.lastSeq = continues?.seq ?? 0
  }

  /** Returns a call, which begins to be known if it was not. */
  call(callId: string): SeenCall {
    const call = this.calls.get(callId) ?? new SeenCall()
    this.calls.set(callId, call)
    return call
  }
}
