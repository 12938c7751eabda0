import type { EndedWith } from '../tool-call/tool-call.types.ts'
import { made } from './run.ending.ts'
import { isTimeOver, tick } from './run.limits.ts'
import type { CallPlan } from '../../src/core/domain/call-plan.ts'
import type { RunError } from '../../src/core/domain/outcome.ts'
import type { RunArgs, RunPatch } from './run.types.ts'

/** Input for the manager of permissions: calls to request permissions for, or an answered hold and the answer's reason. */
export type AskManagerInput =
  | { readonly requested: readonly string[]; readonly answered?: undefined }
  | { readonly answered: string; readonly why?: string }

/** The result of asking the permission manager: a hold for its request, or the error that ends the run. */
export interface ManagerVerdict {
  readonly holds?: readonly CallPlan[]
  readonly error?: RunError
  readonly at: number
}

/** Returns true if the permission manager must receive an answer, or build a request. */
export function mustAskManager(args: RunArgs): boolean {
  const { requested, answered } = args.context
  return answered.length + requested.length > 0 && !isTimeOver(args)
}

/** Returns the next input for the permission manager: an answer before a request. */
export function askManagerInput({ context: { requested, answered, reasons } }: RunArgs): AskManagerInput {
  const [first] = answered
  if (first === undefined) return { requested }
  const why = reasons[first]
  return { answered: first, ...(why === undefined ? {} : { why }) }
}

/** Removes what the manager has been asked about. */
export function forgetAsked({ context: { answered, reasons } }: RunArgs): RunPatch {
  const [first, ...others] = answered
  if (first === undefined) return { requested: [] }
  const { [first]: _, ...left } = reasons
  return { answered: others, reasons: left }
}

type Said = { readonly verdict: ManagerVerdict | undefined }

/** Returns true if the manager could not be asked. */
export function hasManagerFailed(_: unknown, { verdict }: Said): boolean {
  return verdict?.error !== undefined
}

/** Ends the run in the error of its permission manager. */
export function failOnManager({ context }: RunArgs, event: EndedWith<ManagerVerdict>): RunPatch {
  if (!('output' in event)) return {}
  const { error, at } = event.output
  return { ...tick(context, at), ending: made({ reason: 'error', ...(error === undefined ? {} : { error }) }) }
}
