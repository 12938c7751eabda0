import { isRecord } from './text/json.ts'
import { expecting } from './text/option-shape.ts'
import { isNumber, isText } from './text/shape.ts'

/** Throws a `UsageError` for a value that is not an event of a run. */
export const checkEvent = expecting(
  'an event of a run, as agent.on and run.events give it',
  (event) => isRecord(event) && isText(event['runId']) && isText(event['type']) && isNumber(event['at']),
)

/** Throws a `UsageError` for a value that is not a list or stream of events. */
export const checkEvents = expecting(
  'a list or a stream of events, such as those that run.events() gave',
  (events) =>
    Array.isArray(events) || (isRecord(events) && (Symbol.iterator in events || Symbol.asyncIterator in events)),
)
