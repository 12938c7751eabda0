import type { RunAnnouncement, RunContext } from '../../machines/run/run.types.ts'
import type { AgentEvent } from '../domain/event.ts'
import type { RunLog } from '../runtime/run-log.ts'
import type { Announcement } from '../runtime/effect-logic.ts'

/** Spells out what the run machine announced. */
export function toEvent(
  runId: string,
  announced: Announcement,
  context: unknown,
  runLog: RunLog,
  at: number,
): AgentEvent {
  const announcement = announced as RunAnnouncement
  const run = context as RunContext
  const head = { runId, at }
  switch (announcement.type) {
    case 'run.started':
    case 'run.resumed':
      return { type: announcement.type, ...head }
    case 'run.waiting': {
      const suspended = runLog.calls().filter((call) => call.status === 'suspended')
      return { type: 'run.waiting', ...head, suspended }
    }
    case 'run.ended': {
      const outcome = run.outcome ?? { reason: 'natural_end' }
      return { type: 'run.ended', ...head, outcome, usage: run.usage }
    }
    case 'turn.started':
    case 'turn.ended':
      return { type: announcement.type, ...head, turn: announcement.turn }
    case 'calls.dropped':
      return { type: 'calls.dropped', ...head, turn: announcement.turn, names: announcement.names }
  }
}
