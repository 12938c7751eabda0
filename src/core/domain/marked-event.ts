import type { AgentEventBody } from './event.ts'

/** An event as a mark holds it: without what the entry and the run add. */
export type MarkedEvent = AgentEventBody extends infer Event
  ? Event extends AgentEventBody
    ? Omit<Event, 'runId' | 'at' | 'seq'>
    : never
  : never
