import type { AgentCore } from './agent-core.ts'
import { checkedId, type PlannedRun } from './create-run.ts'
import { lateResults } from './late-results.ts'
import { givenDetails, planRun } from './plan-run.ts'
import { type EndedRun, readOriginal, refuseUnlessDone } from './read-original.ts'
import { inputOf, type Prompt } from './read-prompt.ts'
import { otherAgent } from './run-driving.ts'
import { checkUndriven, type PromptOptions } from './start-run.ts'

/** The run that is continued. */
export interface Original {
  readonly id: string
  /** Resolves once it is stored. */
  readonly stored: Promise<unknown>
  /** Continues also if an agent of another name started the run. */
  readonly adopts: boolean
  /** The end of the run as this process saw it, while it is in memory. */
  readonly ended?: EndedRun | undefined
}

/**
 * Returns a new run that continues the transcript of a finished run. Throws a `UsageError` if the stored original
 * accepts no prompt.
 */
export async function plannedAfter(
  core: AgentCore,
  { id: originalId, stored, adopts, ended }: Original,
  prompt: Prompt,
  { runId, signal, drive, ...details }: PromptOptions,
): Promise<PlannedRun> {
  checkUndriven(drive, signal)
  const { openRuns, ids } = core
  const { messages, ...others } = inputOf(prompt, core)
  const given = givenDetails(details)
  openRuns.refuseIfClosed()
  const id = checkedId(runId ?? ids.next('run'))
  await stored
  const original = await readOriginal(core, originalId, ended)
  if (original.record.agent !== core.name && !adopts) throw otherAgent(originalId, original.record.agent, core.name)
  refuseUnlessDone(original.record)
  const input = { ...others, messages: [...(await lateResults(core.store, original)), ...messages] }
  openRuns.refuseIfClosed()
  const options = core.runOptions(details.quota)
  return planRun(core, { id, options, ...input, given }, { original, continuation: { kind: 'default' } })
}
