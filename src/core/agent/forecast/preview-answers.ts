import { isRecord, type Json } from '../../domain/text/json.ts'
import { having } from '../../domain/text/option-shape.ts'
import type { CallRecord } from '../../domain/call.ts'
import type { AgentCore } from '../../driving/agent-core.ts'
import { leftToVersion } from '../../driving/agent-version.ts'
import { coreOf } from '../../driving/core-of.ts'
import { otherAgent } from '../../driving/run-driving.ts'
import { readOpenRun, tryOpenRun } from '../../driving/try-runs.ts'
import { memberNamed } from '../../family/lineage.ts'
import type { Store } from '../../ports/store.ts'
import { asForecast, forecastKinds } from './as-forecast.ts'
import type { AnswerPreview } from './preview-answer.ts'

/** A call that waits, with what each answer leads to. */
export interface CallPreview {
  /** Names the call to `approve` and the like; below a sub-agent `<childRunId>/<callId>`. */
  readonly callId: string
  readonly toolName: string
  /** The answers that the call takes, in the order in which they are offered. */
  readonly answers: readonly AnswerPreview[]
}

/** Options of `previewAnswers`. */
export interface PreviewOptions {
  /** Arguments of an edit, by call id. Default: the preview of an edit has no arguments. */
  readonly edits?: { readonly [callId: string]: Json }
}

/**
 * Returns the consequences of each answer to a waiting run, up to the next model answer: approve, deny and edit, or a
 * value if the call accepts one. Calls of its sub-agents are included. Stored answers that no driver has read count as
 * given. Calls no model, tool, plugin, policy or `needs` function; claims and writes nothing. Only your schemas check
 * stored and edited arguments.
 *
 * @example
 * for (const { toolName, answers } of await previewAnswers(agent, store, runId))
 *   for (const { action, text } of answers) console.log(`${toolName}, ${action}: ${text}`)
 */
export async function previewAnswers(
  agent: { readonly name: string },
  store: Store,
  runId: string,
  { edits = {} }: PreviewOptions = {},
): Promise<readonly CallPreview[]> {
  having('a store', 'record', 'read')(store, { field: 'store', owner: 'previewAnswers' })
  const core = coreOf(agent, 'previewAnswers')
  const record = await store.record(runId)
  const own = memberNamed(core, record.agent)
  if (own === undefined) throw otherAgent(runId, record.agent, core.name)
  return ofRun(own, { core, store, edits }, runId)
}

interface Look {
  readonly core: AgentCore
  readonly store: Store
  readonly edits: { readonly [callId: string]: Json }
}

async function ofRun(own: AgentCore, look: Look, runId: string, prefix = ''): Promise<readonly CallPreview[]> {
  const { core, store, edits } = look
  const open = await readOpenRun(store, runId)
  if (open === undefined || 'code' in open) return []
  const tried = tryOpenRun(own, open)
  if ('code' in tried) return []
  const inbox = await store.inbox(runId, { kinds: forecastKinds })
  const run = await asForecast(store, own, { ...open.stored, tried, inbox })
  const left = leftToVersion(open.stored.record, tried.log.calls(), own)
  const { previewAnswer, waiting } = await import('./preview-answer.ts')
  const found: CallPreview[] = []
  for (const call of waiting(run)) {
    const child = childOf(call)
    if (child !== undefined) {
      const member = memberNamed(core, (await store.record(child)).agent)
      if (member !== undefined) found.push(...(await ofRun(member, look, child, `${child}/`)))
      continue
    }
    const callId = `${prefix}${call.callId}`
    const answers = await previewAnswer(own.parts, call, { run, left, edit: edits[callId] })
    found.push({ callId, toolName: call.toolName, answers })
  }
  return found
}

/** Returns the run of the sub-agent that a call waits for. */
function childOf({ suspension }: CallRecord): string | undefined {
  const { reason, parameters } = suspension ?? {}
  const child = reason === 'subAgent' && isRecord(parameters) ? parameters['childRunId'] : undefined
  return typeof child === 'string' ? child : undefined
}
