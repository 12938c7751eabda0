import type { Decision } from '../../core/domain/decision.ts'
import { listOf, options, type OptionShape, unchecked } from '../../core/domain/text/option-shape.ts'
import { StoreError } from '../../core/domain/store-error.ts'
import type { PostReceipt, Prompt, ResumedRun, RunLabels, Said, StartDetails } from '../../ports.ts'
import type { Run } from '../../index.ts'
import type { Access } from './access.ts'
import type { Asked } from './asked.ts'
import { findRun, lookForRun } from './find-run.ts'
import { json } from './http-error.ts'
import { readBody } from './read-body.ts'

/** Answers a request to a route. */
export type Answer = (asked: Asked) => Promise<Response>

interface StartBody {
  readonly prompt: Prompt
  readonly runId?: string
  readonly subject?: string
  readonly labels?: RunLabels
}

const startShape = unchecked<StartBody>('prompt', 'runId', 'subject', 'labels')

/** Starts a run, and answers once it is stored. A repeated start with the same id finds the existing run. */
export async function start(asked: Asked): Promise<Response> {
  const { agent, access } = asked
  const { prompt: said, ...given } = await bodyOf(asked, 'a start', startShape)
  const { runId } = given
  const wanted = { ...given, ...grantedTo(access, given.labels), drive: asked.drives }
  const begin = async (ifExists: 'refuse' | 'attach') => {
    const run = agent.start(said, { ...wanted, ifExists })
    const { status } = await run.result()
    return json({ runId: run.id, status }, { status: ifExists === 'attach' ? 200 : 201 })
  }
  if (runId === undefined) return begin('refuse')
  const found = await lookForRun({ agent, runId, access })
  if (found === 'hidden') throw taken(runId)
  if (found === 'seen') return begin('attach')
  return begin('refuse').catch(async (error: unknown) => {
    // Somebody has begun it meanwhile; a run of others is none to attach to.
    const isOwn = isTaken(error) && (await lookForRun({ agent, runId, access })) === 'seen'
    if (isOwn) return begin('attach')
    throw error
  })
}

/** The details of a run that only `authorize` may set. */
export type GrantedDetails = Pick<StartDetails, 'accessControl' | 'delegatedBy' | 'quota' | 'subject' | 'labels'>

/** Returns the details of the requester's runs, regardless of the request's content. */
export function grantedTo({ filter = {}, details }: Access, labels?: RunLabels): GrantedDetails {
  const { subject, labels: own } = filter
  return {
    ...details,
    ...(subject === undefined ? {} : { subject }),
    ...(own === undefined ? {} : { labels: { ...labels, ...own } }),
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'run_exists'
}

function taken(runId: string): StoreError {
  return new StoreError('run_exists', `A run "${runId}" is stored already. Choose another id.`)
}

const ofAnswer = ['target', 'decisionId', 'action', 'mode', 'input', 'result', 'reason', 'scope', 'by'] as const

const decisionsShape: OptionShape<{ readonly decisions: readonly Decision[] }> = {
  decisions: listOf(options(unchecked<Decision>(...ofAnswer))),
}

/** Stores decisions, and ensures that the run continues. */
export async function decide(asked: Asked): Promise<Response> {
  const { decisions } = await bodyOf(asked, 'the decisions', decisionsShape)
  const { by: who } = asked.access
  const run = await findRun(asked)
  const receipts = await run.decide(decisions.map(({ by: _, ...one }) => ({ ...one, ...(who && { by: who }) })))
  return json({ receipts, drive: await drive(asked) })
}

const reasonShape = unchecked<{ readonly reason?: string }>('reason')

/** Cancels a run. */
export async function cancelRun(asked: Asked): Promise<Response> {
  const { reason } = await bodyOf(asked, 'a cancel', reasonShape)
  const receipt = await (await findRun(asked)).cancel(reason)
  return json({ receipt, drive: await drive(asked) })
}

/** Cancels one call of a run. */
export async function cancelCall(asked: Asked): Promise<Response> {
  const { reason } = await bodyOf(asked, 'a cancel', reasonShape)
  const receipt = await (await findRun(asked)).cancelCall(asked.callId, reason)
  return json({ receipt, drive: await drive(asked) })
}

const saidShape = unchecked<{ readonly prompt: Said }>('prompt')

/** Sends a message to a run for its next turn. */
export const steer: Answer = (asked) => say(asked, (run, said) => run.steer(said))

/** Sends a message to a run, which reads it when it would end. */
export const followUp: Answer = (asked) => say(asked, (run, said) => run.followUp(said))

async function say(asked: Asked, send: (run: Run, said: Said) => Promise<PostReceipt>): Promise<Response> {
  const { prompt: said } = await bodyOf(asked, 'what is said', saidShape)
  const receipt = await send(await findRun(asked), said)
  return json({ receipt, drive: await drive(asked) })
}

const promptShape = unchecked<Pick<StartBody, 'prompt' | 'runId'>>('prompt', 'runId')

/** Continues a finished run in a new run. */
export async function prompt(asked: Asked): Promise<Response> {
  const { prompt: said, ...given } = await bodyOf(asked, 'a prompt', promptShape)
  const run = await (await findRun(asked)).prompt(said, { ...given, ...asked.access.details, drive: asked.drives })
  return json({ runId: run.id, status: 'running' }, { status: 201 })
}

/** Ensures that a run is driven. */
export async function resume(asked: Asked): Promise<Response> {
  await findRun(asked)
  return json({ drive: await drive(asked) })
}

const forkShape = unchecked<{ readonly from: number; readonly runId?: string }>('from', 'runId')

/** Begins a new run at a checkpoint of another, and drives it. */
export async function fork(asked: Asked): Promise<Response> {
  const { agent, runId } = asked
  const body = await bodyOf(asked, 'a fork', forkShape)
  await findRun(asked)
  const { id } = await agent.fork(runId, body)
  return json({ runId: id, drive: await drive({ ...asked, runId: id }) }, { status: 201 })
}

/** Drives the run now, also after the response. */
async function drive({ agent, runId, drives }: Asked): Promise<ResumedRun['drive']> {
  return drives ? (await agent.resume(runId)).drive : 'elsewhere'
}

function bodyOf<Body>({ request, maxBodyBytes }: Asked, what: string, shape: OptionShape<Body>): Promise<Body> {
  return readBody(request, what, shape, maxBodyBytes)
}
