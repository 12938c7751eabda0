import type { EvaluateInput, Evaluated } from '../../../machines/branches/branches.types.ts'
import { branchesIn } from '../domain/branch-group.ts'
import { defined } from '../domain/text/json.ts'
import { thrownText } from '../domain/text/thrown-text.ts'
import { noUsage, type Usage } from '../domain/usage.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { standingIn } from '../driving/stored-standing.ts'
import { workerOf } from '../driving/worker-of.ts'
import { inTime } from '../ports/clock.ts'
import type { EffectContext, EffectHandler } from '../ports/effect-handler.ts'
import type { BranchCandidate, Strategy } from '../ports/strategy.ts'
import { usageOfChild } from './total-usage.ts'

const mostMs = 60_000

/** The selection of a strategy; `problem` says why the first candidate wins instead, or what was shortened. */
interface Selected {
  readonly index: number | undefined
  readonly usage?: Usage
  readonly cost?: number
  readonly problem?: string
}

/** Lets a strategy select one of the branches that may win. If the strategy fails, the first of these branches wins. */
export function evaluate(
  host: AgentCore,
  strategyOf: (runId: string) => Strategy,
): EffectHandler<EvaluateInput, Evaluated> {
  return {
    kind: 'repeatable',
    perform: async ({ candidates: callIds }, context) => {
      const candidates = await readCandidates(host, callIds, context)
      const selected = await select(host, strategyOf(context.runId), candidates, context)
      const { usage = noUsage, cost = 0, problem } = selected
      const { runId, clock } = context
      if (problem !== undefined) context.emit({ type: 'evaluation.failed', runId, at: clock.now(), message: problem })
      const place = candidates.findIndex(({ index }) => index === selected.index)
      return { output: { callId: callIds[Math.max(place, 0)] ?? '', usage, cost, at: clock.now() } }
    },
  }
}

async function readCandidates(
  { store }: AgentCore,
  callIds: readonly string[],
  { runId: groupId }: EffectContext,
): Promise<readonly BranchCandidate[]> {
  const branches = branchesIn(await store.input(groupId)) ?? []
  const wanted = branches.flatMap((branch, place) => (callIds.includes(branch.callId) ? { ...branch, place } : []))
  return Promise.all(
    wanted.map(async ({ runId, place }): Promise<BranchCandidate> => {
      const { id = runId, agent = '' } = (await workerOf(store, runId)) ?? {}
      const { outcome = { reason: 'natural_end' }, text, output } = await standingIn(store, id)
      const usage = await usageOfChild(store, runId)
      return { index: place + 1, runId, agent, outcome, text, ...defined({ output }), usage }
    }),
  )
}

async function select(
  host: AgentCore,
  strategy: Strategy,
  candidates: readonly BranchCandidate[],
  context: EffectContext,
): Promise<Selected> {
  const [first, ...others] = candidates
  if (first === undefined || others.length === 0) return { index: first?.index }
  if (strategy === 'tokenEfficient') return { index: byTokens(candidates, -1).index }
  if (strategy === 'elaborate') return { index: byTokens(candidates, 1).index }
  if (typeof strategy === 'string') return { index: first.index }
  try {
    // A strategy that ignores its signal cannot hold the group.
    const asked = async (signal: AbortSignal): Promise<Selected> => {
      if (typeof strategy === 'function') return checked(candidates, await strategy(candidates, { signal }))
      const { askJudge } = await import('../effects/model/ask-judge.ts')
      return askJudge(host.parts, strategy, candidates, { ...context, signal })
    }
    return await inTime(context, mostMs, asked, () => new Error(`It took longer than ${mostMs / 1000} s.`))
  } catch (cause) {
    if (context.signal.aborted) throw cause
    return { index: undefined, problem: `The strategy failed: ${thrownText(cause)} The first candidate wins.` }
  }
}

/** Returns the candidate with the most tokens by a sign, the first of equal ones. */
function byTokens(
  candidates: readonly [BranchCandidate, ...BranchCandidate[]] | readonly BranchCandidate[],
  sign: 1 | -1,
): BranchCandidate {
  return candidates.reduce((best, other) =>
    sign * (other.usage.totalTokens - best.usage.totalTokens) > 0 ? other : best,
  )
}

function checked(candidates: readonly BranchCandidate[], index: unknown): Selected {
  const found = candidates.find((candidate) => candidate.index === index)
  if (found !== undefined) return { index: found.index }
  const numbers = candidates.map((candidate) => candidate.index).join(', ')
  const problem = `The strategy returned ${JSON.stringify(index) ?? typeof index}, which is not one of ${numbers}. The first candidate wins.`
  return { index: undefined, problem }
}
