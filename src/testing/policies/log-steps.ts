import type { StoredEvent } from '../../core/domain/event.ts'
import { isWake } from '../../core/domain/kept-decision.ts'
import { toolCallsOf } from '../../core/domain/message.ts'
import type { Json } from '../../core/domain/text/json.ts'
import type { PolicyStep } from '../../core/domain/policies/policy-step.ts'
import type { Moment } from '../../core/domain/policies/policy.ts'
import type { Tool } from '../../core/ports/tool.ts'

/** The start of a tool, with the number of the last event before it. */
export interface Beginning {
  readonly callId: string
  readonly after: number
  /** The number of writes to the store before it. */
  readonly writes: number
  /** The edited arguments of the call; absent without an edit. */
  readonly edited?: Json
}

/** A call, derived from a log. */
export interface LoggedCall {
  readonly toolName: string
  readonly arguments: Json
  readonly approvedBy: readonly (string | null)[]
  /** True after a beginning that no later decision has followed. */
  readonly isRunning: boolean
  readonly hasRun: boolean
}

/** The steps of a run, with the log's facts about its calls. */
export interface LoggedSteps {
  readonly steps: readonly PolicyStep[]
  readonly calls: ReadonlyMap<string, LoggedCall>
  readonly spent: number
}

/**
 * Returns the steps of a run from the events of its log. The log does not contain the start of a tool, so `beginnings`
 * does. An interrupted call counts as started.
 */
export function stepsIn(
  events: readonly StoredEvent[],
  beginnings: readonly Beginning[],
  tools: readonly Pick<Tool, 'name' | 'ruleFields'>[],
): LoggedSteps {
  const reader = new StepReader(tools)
  const open = [...beginnings]
  const begin = (seq: number) => {
    while (open[0] !== undefined && open[0].after < seq) {
      reader.ran(open[0].callId, open[0].edited)
      open.shift()
    }
  }
  for (const event of events) {
    begin(event.seq)
    reader.read(event)
  }
  begin(Infinity)
  return reader
}

class StepReader implements LoggedSteps {
  readonly steps: PolicyStep[] = []
  readonly calls = new Map<string, LoggedCall>()
  spent = 0
  readonly #tools: readonly Pick<Tool, 'name' | 'ruleFields'>[]

  constructor(tools: readonly Pick<Tool, 'name' | 'ruleFields'>[]) {
    this.#tools = tools
  }

  read(event: StoredEvent): void {
    if (event.type === 'message.ended' && event.message.role === 'assistant') {
      this.spent += event.message.cost ?? 0
      this.steps.push({ kind: 'answered', spent: this.spent })
      for (const { id, callId = id, name, arguments: given } of toolCallsOf(event.message)) {
        this.calls.set(callId, { toolName: name, arguments: given, approvedBy: [], isRunning: false, hasRun: false })
        this.#add('called', callId)
      }
    }
    if (event.type === 'call.decided' && event.action === 'resume' && !isWake(event)) {
      const by = event.by ?? null
      this.#change(event.callId, ({ approvedBy }) => ({ approvedBy: [...approvedBy, by], isRunning: false }))
    }
    if (event.type === 'decision.dropped')
      this.#change(event.callId, ({ approvedBy }) => ({ approvedBy: approvedBy.slice(0, -1) }))
    if (event.type === 'call.suspended') {
      const { callId, isHold, suspension, arguments: given } = event.call
      if (isHold === true) return
      this.#change(callId, () => ({ arguments: given }))
      const { reason } = suspension ?? {}
      if (reason === 'interrupted' || reason === 'service') this.ran(callId)
      if (reason === 'interrupted') this.#add('crashed', callId)
      this.#add('waited', callId)
    }
    if (event.type !== 'call.settled') return
    const { callId, status, editedArguments } = event
    const { hasRun = true } = this.calls.get(callId) ?? {}
    if (editedArguments !== undefined) this.#change(callId, () => ({ arguments: editedArguments }))
    if (status === 'cancelled') this.#add('denied', callId)
    if (status === 'failed' && !hasRun) this.#add('refused', callId)
  }

  /** Notes that a call begins; a repetition after a crash is no new beginning. */
  ran(callId: string, edited?: Json): void {
    if (this.calls.get(callId)?.isRunning === true) return
    const given = edited === undefined ? {} : { arguments: edited }
    this.#change(callId, () => ({ ...given, isRunning: true, hasRun: true }))
    this.#add('ran', callId)
  }

  #change(callId: string, more: (call: LoggedCall) => Partial<LoggedCall>): void {
    const call = this.calls.get(callId)
    if (call !== undefined) this.calls.set(callId, { ...call, ...more(call) })
  }

  #add(kind: Moment, callId: string): void {
    const call = this.calls.get(callId)
    if (call === undefined) return
    const { toolName, arguments: given, approvedBy } = call
    const fields = this.#tools.find(({ name }) => name === toolName)?.ruleFields
    const about = { toolName, arguments: given, approvedBy, ...(fields && { fields }) }
    this.steps.push({ kind, spent: this.spent, call: about })
  }
}
