import type { Action } from './access.ts'
import {
  type Answer,
  cancelCall,
  cancelRun,
  decide,
  fork,
  resume,
  start,
  steer,
  followUp,
  prompt,
} from './answer-writes.ts'
import { follow, history, list, listSuspended, show } from './answer-reads.ts'
import { followSuspended } from './follow-suspended.ts'
import type { RoutePath } from './find-route.ts'

interface Route extends RoutePath {
  readonly action: Action
  readonly answer: Answer
}

/** Every route of `createHandlers`. */
export const routes: readonly Route[] = [
  { method: 'POST', path: '/runs', action: 'start', answer: start },
  { method: 'GET', path: '/runs', action: 'list', answer: list },
  { method: 'GET', path: '/suspended', action: 'list', answer: listSuspended },
  { method: 'GET', path: '/suspended/events', action: 'list', answer: followSuspended },
  { method: 'GET', path: '/runs/:run', action: 'read', answer: show },
  { method: 'GET', path: '/runs/:run/events', action: 'follow', answer: follow },
  { method: 'GET', path: '/runs/:run/history', action: 'read', answer: history },
  { method: 'POST', path: '/runs/:run/decisions', action: 'decide', answer: decide },
  { method: 'POST', path: '/runs/:run/cancel', action: 'cancel', answer: cancelRun },
  { method: 'POST', path: '/runs/:run/calls/:call/cancel', action: 'cancel', answer: cancelCall },
  { method: 'POST', path: '/runs/:run/steer', action: 'steer', answer: steer },
  { method: 'POST', path: '/runs/:run/follow-up', action: 'steer', answer: followUp },
  { method: 'POST', path: '/runs/:run/prompt', action: 'prompt', answer: prompt },
  { method: 'POST', path: '/runs/:run/resume', action: 'resume', answer: resume },
  { method: 'POST', path: '/runs/:run/fork', action: 'fork', answer: fork },
]
