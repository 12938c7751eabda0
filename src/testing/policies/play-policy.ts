import { UsageError } from '../../core/domain/text/usage-error.ts'
import assert from 'node:assert/strict'
import type { Policy } from '../../core/domain/policies/policy.ts'
import { isKeptAtEnd } from '../../core/domain/policies/formula.ts'
import { parsePolicy } from '../../core/domain/policies/parse-policy.ts'
import { type PolicyStep, stand, standingAtStart } from '../../core/domain/policies/policy-step.ts'
import { agentFrom, type AgentSource } from '../paths/agent-under-test.ts'
import { inlineJson, written, type RecordingPlace } from '../recordings/recording-file.ts'
import type { PolicyScript } from './policy-script.ts'
import { beforeStart, makeMove } from './walk-run.ts'

/** The state after a script. */
export interface ReplayedScript {
  /** The steps of the run up to the one that breaks the policy, in words. */
  readonly steps: readonly string[]
  readonly isBroken: boolean
}

/**
 * Plays a script with an agent, and rejects with an `AssertionError` if the run breaks a policy. Each move is made in
 * its own process. A process with a crash dies right after that write.
 */
export async function playPolicy(source: AgentSource, policy: string, script: PolicyScript): Promise<void> {
  checkPolicy(policy, script)
  const { steps, isBroken } = await replayScript(source, parsePolicy(policy), script)
  assert.ok(!isBroken, `The run breaks ${policy}:\n- ${steps.join('\n- ')}`)
}

/** Plays a script and judges the run by its log. */
export async function replayScript(source: AgentSource, policy: Policy, script: PolicyScript): Promise<ReplayedScript> {
  const agent = agentFrom(source)
  const [first] = script
  const moves: PolicyScript = first?.kind === 'restart' ? script : [{ kind: 'restart' }, ...script]
  let run = beforeStart
  let steps: readonly PolicyStep[] = []
  let isDone = false
  for (const move of moves) {
    const rest = await makeMove(agent, run, move)
    run = rest.run
    steps = rest.logged.steps
    isDone = rest.at === 'done'
  }
  let standing = standingAtStart([policy])
  const told: string[] = []
  for (const step of steps) {
    standing = await stand([policy], standing, step)
    told.push(wordsOf(step))
    if (standing[policy.text] === false) return { steps: told, isBroken: true }
  }
  const isBroken = isDone && !isKeptAtEnd(standing[policy.text] ?? policy.formula)
  return { steps: [...told, ...(isDone ? ['the run ends'] : [])], isBroken }
}

function wordsOf(step: PolicyStep): string {
  if (step.kind === 'answered') return `answered${step.spent === 0 ? '' : ` for ${step.spent} dollars in all`}`
  const { toolName, arguments: given, approvedBy } = step.call
  const by = approvedBy.length === 0 ? '' : ` approved by ${approvedBy.map((name) => name ?? 'somebody').join(', ')}`
  return `${step.kind} ${toolName}(${JSON.stringify(given)})${by}`
}

/** Returns the text of a Vitest file that plays a script; the test fails as long as the agent breaks the policy. */
export function policyFile(policy: string, script: PolicyScript, place: RecordingPlace): string {
  checkPolicy(policy, script)
  const { module, exported } = place
  return `import { test } from 'vitest'
import { playPolicy } from 'statewright/testing'
import { ${exported} } from ${inlineJson(module)}

test(${inlineJson(`keeps ${policy}`)}, () =>
  playPolicy(${exported}, ${inlineJson(policy)}, ${written(script, '  ')}))
`
}

function checkPolicy(policy: unknown, script: unknown): void {
  if (typeof policy === 'string' && Array.isArray(script)) return
  throw new UsageError('bad_option', 'Expected a policy as a text, and a script as `prove` gives it: a list of moves.')
}
