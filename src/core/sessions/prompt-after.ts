import { UsageError } from '../domain/text/usage-error.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { createRun } from '../driving/create-run.ts'
import { type Original, plannedAfter } from '../driving/go-on.ts'
import { givenDetails } from '../driving/plan-run.ts'
import { inputOf, type Prompt } from '../driving/read-prompt.ts'
import { checkUndriven, type PromptOptions } from '../driving/start-run.ts'
import { beginRun, type BegunRun } from './begin-run.ts'
import { checkedBeginning } from './session-beginning.ts'
import { readAfter } from './session-place.ts'

/** Begins a run with a prompt that continues a finished run. If that run belongs to a session, the new run does too. */
export async function promptAfter(
  given: AgentCore,
  original: Original,
  prompt: Prompt,
  options: PromptOptions,
): Promise<BegunRun> {
  const { successor: core = given } = given
  core.openRuns.refuseIfClosed()
  await original.stored
  const { session } = await core.store.record(original.id)
  if (session !== undefined) return promptInSession(core, session, original, prompt, options)
  const planned = await plannedAfter(core, original, prompt, options)
  return { core, id: planned.id, lease: await createRun(core, planned, options.drive ?? true) }
}

async function promptInSession(
  core: AgentCore,
  id: string,
  { id: after, adopts, ended }: Original,
  prompt: Prompt,
  { runId, signal, drive = true, ...details }: PromptOptions,
): Promise<BegunRun> {
  if (runId !== undefined) throw idIsMade(after, id)
  checkUndriven(drive, signal)
  const place = { core, id, begun: checkedBeginning({}), adopts }
  return beginRun(place, {
    input: inputOf(prompt, core),
    given: givenDetails(details),
    quota: details.quota,
    drive,
    configId: undefined,
    from: async (session) => {
      const original = await readAfter(core, session, { after, ended })
      return original && { original, continuation: { kind: 'default' } }
    },
  })
}

function idIsMade(runId: string, session: string): UsageError {
  const wish = 'Leave it out: the new run belongs to the session, which gives it an id.'
  return new UsageError(
    'bad_option',
    `Option "runId" of prompt is refused: run "${runId}" belongs to session "${session}", which assigns the ids of its runs. ${wish}`,
  )
}
