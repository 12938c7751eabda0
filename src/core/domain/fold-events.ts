import { checkEvent, checkEvents } from './check-event.ts'
import type { AgentEvent } from './event.ts'
import { foldEvent } from './fold-event.ts'
import { emptyRunView, type RunView } from './run-view.ts'

/**
 * Adds the events of one run to a view. The events may come from a drive, from the store, or from both. A stored event
 * whose number the view already has changes nothing; a repeated message, call or answer replaces the earlier one.
 *
 * @example
 * const { messages, suspended, usage } = foldEvents(events)
 */
export function foldEvents(events: Iterable<AgentEvent>, view: RunView = emptyRunView): RunView {
  checkEvents(events, { field: 'events', owner: 'foldEvents' })
  let folded = view
  for (const event of events) {
    checkEvent(event, { field: 'event', owner: 'foldEvents' })
    folded = foldEvent(folded, event)
  }
  return folded
}
