import type { StreamResponse, TaskState } from '@a2a-js/sdk'
import { type AgentEvent, type Run, textOf } from '../../index.ts'
import { toolCallsOf } from '../../ports.ts'
import { followRun } from '../chat/follow-run.ts'
import { storedSoFar } from '../chat/seen-events.ts'
import type { Exchange } from '../http/serve.ts'
import { messageOf, partOf } from './parts.ts'
import { artifactsOf, factsOf, stateOf, statusOf, taskOf } from './task-of.ts'

/** Returns true for a state of a task with which a reader is done. */
export type IsOver = (state: TaskState) => boolean

/** Yields the events of a run after one of them, until its task has a state that `isOver` accepts or the client has left. */
export function followTask({ agent, drives, request: { signal } }: Exchange, run: Run, isOver: IsOver, after?: number) {
  return followRun(run, { agent, drives, signal, after, isOver: (standing) => isOver(stateOf(standing)) })
}

/** Yields the task as it is, then its changes. A change in between may be part of both. */
export async function* taskEvents(
  exchange: Exchange,
  run: Run,
  isOver: IsOver,
  historyLength?: number,
): AsyncGenerator<StreamResponse, void, undefined> {
  const stored = (await storedSoFar(run)).at(-1)
  const facts = await factsOf(run, stored?.at)
  yield { payload: { $case: 'task', value: taskOf(facts, historyLength) } }
  if (isOver(stateOf(facts))) return
  for await (const event of followTask(exchange, run, isOver, stored?.seq)) yield* changes(run, event)
}

const turns: readonly AgentEvent['type'][] = ['run.resumed', 'run.waiting', 'run.ended']

async function* changes(run: Run, event: AgentEvent): AsyncGenerator<StreamResponse, void, undefined> {
  const said = saidIn(event)
  if (said === undefined && !turns.includes(event.type)) return
  const facts = await factsOf(run, event.at)
  const ids = { taskId: facts.runId, contextId: facts.contextId, metadata: undefined }
  if (event.type === 'run.ended') {
    for (const artifact of artifactsOf(facts)) {
      yield { payload: { $case: 'artifactUpdate', value: { ...ids, artifact, append: false, lastChunk: true } } }
    }
  }
  const isResting = event.type === 'run.waiting' || event.type === 'run.ended'
  const status = statusOf(isResting ? facts : { ...facts, status: 'running', suspended: [] })
  const message = said === undefined ? status.message : messageOf(facts, said.id, [partOf(said.text)])
  yield { payload: { $case: 'statusUpdate', value: { ...ids, status: { ...status, message } } } }
}

/** Returns what the agent says before its answer: beside its calls, or as the progress of a tool. */
function saidIn(event: AgentEvent): { readonly id: string; readonly text: string } | undefined {
  if (event.type === 'progress.reported') return { id: `${event.callId}:${event.at}`, text: event.text }
  if (event.type !== 'message.ended' || event.message.role !== 'assistant') return undefined
  const text = textOf(event.message)
  if (text === '' || toolCallsOf(event.message).length === 0) return undefined
  return { id: `${event.runId}:${event.place}`, text }
}
