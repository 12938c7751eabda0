import { isTerminal } from '../../core/domain/call.ts'
import { isRecord, type Json } from '../../core/domain/text/json.ts'
import { isApprovedBy } from '../../core/domain/policies/policy-step.ts'
import type { Atom, Policy } from '../../core/domain/policies/policy.ts'
import { PolicyFold } from '../../core/domain/policies/policy-fold.ts'
import { RunLog } from '../../core/runtime/run-log.ts'
import type { TestedAgent } from '../paths/agent-under-test.ts'
import type { LoggedCall } from './log-steps.ts'
import type { Rest } from './walk-run.ts'

/** The facts that determine whether two resting states are equivalent. */
export interface KeyParts {
  /** The agent's own policies. */
  readonly own: readonly Policy[]
  /** The atoms of all policies. */
  readonly atoms: readonly Atom[]
}

/**
 * Returns a text that is equal for two resting states if runs continue in the same way from both. It contains the state
 * of the charts, the unsettled calls with the facts about them, grants, the rows of the inbox and the state of the
 * agent's own policies. It omits ids, positions in the log, times, and numbers of turns and tokens.
 */
export async function keyOf(
  agent: TestedAgent,
  { at, run, stored, inbox, logged }: Rest,
  { own, atoms }: KeyParts,
): Promise<string> {
  if (at === 'done' || stored === undefined) return at
  const log = new RunLog(stored.log, 1_000_000_000)
  const live = log.calls().filter(({ status }) => !isTerminal(status))
  const names = new Map(
    log.calls().map(({ callId }) => [callId, `call ${live.findIndex((call) => call.callId === callId)}`]),
  )
  const fold = new PolicyFold(own, {
    view: log,
    fieldsOf: async (toolName) => agent.tools.find(({ name }) => name === toolName)?.ruleFields,
  })
  const { standing, open } = own.length === 0 ? { standing: {}, open: {} } : await fold.upToNow()
  const isCounted = agent.limits !== false && agent.limits?.onRepeat === 'stop'
  const dropped = isCounted ? passing : new Set([...passing, 'streak'])
  const parts = {
    document: parsed(stored.document ?? stored.checkpoint?.document),
    calls: live.map(({ callId, toolCallId, ...call }) => ({
      call,
      document: parsed(stored.calls.find(({ record }) => record.callId === callId)?.document),
      chosen: run.calls.get(toolCallId),
      known: knownOf(logged.calls.get(callId), atoms),
    })),
    inbox: inbox.map(({ item }) => item),
    open,
  }
  const plain = normal(JSON.parse(JSON.stringify(parts)) as Json, names, dropped)
  const { maxCost = Infinity } = agent.limits === false || agent.limits === undefined ? {} : agent.limits
  const amounts = [maxCost, ...atoms.flatMap((atom) => (atom.kind === 'spent' ? [atom.moreThan] : []))]
  const spent = amounts.map((limit) => logged.spent > limit)
  return JSON.stringify([at, plain, run.grants, spent, standing])
}

/** Returns what policies can still ask about a call. */
function knownOf(call: LoggedCall | undefined, atoms: readonly Atom[]): Json {
  if (call === undefined) return null
  const { approvedBy, isRunning, hasRun, arguments: given } = call
  const approved = atoms.flatMap((atom) => (atom.kind === 'approvedBy' ? [isApprovedBy(approvedBy, atom)] : []))
  return { approved, isRunning, hasRun, given }
}

/** Names of fields that hold ids, places, times and counts. */
const passing: ReadonlySet<string> = new Set([
  ...[
    'turn',
    'seq',
    'messageSeq',
    'nextSeq',
    'resultSeq',
    'version',
    'place',
    'lastSlot',
    'inboxId',
    'decisionId',
    'key',
  ],
  ...['usage', 'cost', 'elapsedMs', 'since', 'at', 'startedAt', 'forMs', 'timestamp', 'due', 'expiresAt', 'retryAt'],
  ...['callHash', 'resultHash', 'policies', 'result', 'attempts', 'attempt', 'suspensions'],
])

/** Represents every call that has settled. */
const settled = 'call -1'

function normal(value: Json, names: ReadonlyMap<string, string>, dropped: ReadonlySet<string>): Json {
  if (typeof value === 'string') return names.get(value) ?? value.replace(/_\d+$/, '')
  if (Array.isArray(value)) {
    const items = value.map((item) => normal(item, names, dropped))
    return items.every((item) => item === settled) ? items.slice(0, 1) : items
  }
  if (!isRecord(value)) return value
  const kept = Object.entries(value).filter(([name]) => !dropped.has(name))
  const entries = kept.map(([name, item]) => [names.get(name) ?? name, normal(item, names, dropped)] as const)
  return Object.fromEntries(entries.toSorted(([left], [right]) => (left < right ? -1 : 1)))
}

function parsed(text: string | null | undefined): Json {
  return text === null || text === undefined ? null : (JSON.parse(text) as Json)
}
