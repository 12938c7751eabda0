import { branchesIn, isCandidate, type PlannedBranch } from '../domain/branch-group.ts'
import { carriedIn } from '../domain/carried.ts'
import { familyIn, type FamilyLink } from '../domain/family-link.ts'
import { textOf } from '../domain/message.ts'
import { detailsIn } from '../domain/run-details.ts'
import { originOf } from '../domain/run-origin.ts'
import { onStore, StoreError } from '../domain/store-error.ts'
import { defined, isRecord, type Json } from '../domain/text/json.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { createRun } from '../driving/create-run.ts'
import { contentOf } from '../driving/late-results.ts'
import { givenDetails, planRun } from '../driving/plan-run.ts'
import { readInput } from '../driving/read-input.ts'
import { type ReadRun, readOriginal, readUpTo } from '../driving/read-original.ts'
import { Suspended, type Tool, type ToolContext, type ToolResult } from '../ports/tool.ts'
import type { TakenLease } from '../runtime/held-lease.ts'
import { storedInput } from './deliver-ends.ts'
import { type Child, driveChild, failedChild, isGone, linkTo, startOf, storeChild } from './drive-child.ts'
import { limitBefore } from './limit-before.ts'
import { accountIn } from './run-account.ts'

/** Returns the tool whose calls are the branches of a group. `members` are their agents, in order. */
export function branchTool(group: () => AgentCore, members: () => readonly AgentCore[]): Tool {
  return {
    name: 'branch',
    description: 'Runs one branch of the group.',
    input: {},
    effects: 'idempotent',
    timeoutMs: Infinity,
    execute: (_: unknown, context) => onStore(workAsBranch(group(), members(), context)),
  }
}

async function workAsBranch(
  group: AgentCore,
  members: readonly AgentCore[],
  context: ToolContext,
): Promise<ToolResult | Suspended> {
  const { runId: groupId, callId } = context
  const input = await group.store.input(groupId)
  const place = branchesIn(input)?.findIndex((one) => one.callId === callId) ?? -1
  const [branch, member] = [branchesIn(input)?.[place], members[place]]
  const call = (await group.store.calls(groupId)).find(({ record }) => record.callId === callId)?.record
  if (branch === undefined || member === undefined || call === undefined)
    throw new Error(`Group "${groupId}" has no branch "${callId}".`)
  const { runId } = branch
  const account = accountIn(groupId, input, true)
  const family: FamilyLink = { ...linkTo(member, context, input), ...(account && { account: account.root }) }
  const child: Child = { runId, name: member.name, member, family }
  const isStored = (await storedInput(group.store, runId)) !== undefined
  if (await isGone(group, call, groupId, runId)) return failedChild(member.name, runId, 'its run is missing')
  const prompt = isStored ? '' : readInput(groupId, input).messages.map(textOf).join('\n')
  const limit = account === undefined || isStored ? undefined : await limitBefore(member, account, prompt)
  if (limit !== undefined) return failedChild(member.name, runId, limit)
  const taken = await storeChild(child, context, () => storeBranch(child, { groupId, input, branch, family }))
  const ended = await driveChild(child, context, taken)
  if (ended instanceof Suspended) return ended
  const content = contentOf(member.name, ended)
  return { content, childRunId: runId, ...(isCandidate(ended.outcome) ? {} : { status: 'error' as const }) }
}

interface NewBranch {
  readonly groupId: string
  /** The stored input of the group. */
  readonly input: Json
  readonly branch: PlannedBranch
  readonly family: FamilyLink
}

/** Stores the run of a branch, which continues its group's transcript, or finds it. */
async function storeBranch(child: Child, branch: NewBranch): Promise<TakenLease | undefined> {
  const { runId, member } = child
  try {
    return await createRun(member, { ...(await plannedBranch(member, branch)), records: startOf(child) }, true)
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'run_exists') throw error
    const { parentRunId, callId } = familyIn(await member.store.input(runId)) ?? {}
    if (parentRunId === branch.groupId && callId === branch.branch.callId) return undefined
    throw new Error(`The id "${runId}" belongs to another run.`, { cause: error })
  }
}

async function plannedBranch(member: AgentCore, { groupId, input, branch, family }: NewBranch) {
  const { messages, value } = readInput(groupId, input)
  const { session, quota, ...details } = detailsIn(groupId, input)
  const { subject, userId, accessControl, delegatedBy, labels, metadata, history } = details
  const original = await originalOf(member, groupId, input)
  const continuation = { kind: 'branch', tag: groupId } as const
  const given = givenDetails({
    subject,
    labels,
    parallelGroup: groupId,
    ...defined({ userId, accessControl, delegatedBy, metadata, history, quota }),
  })
  const facts = {
    ...(session === undefined ? {} : { session: session.id, index: branch.index }),
    configId: branch.configId,
    continuation,
    family: { ...family },
  }
  const run = { id: branch.runId, options: member.runOptions(quota), messages, given, facts }
  const planned = planRun(member, value === undefined ? run : { ...run, value }, original && { original, continuation })
  return session === undefined ? planned : { ...planned, session: session.id }
}

/** Returns the run that the group continues, up to the place where it continues. */
async function originalOf(core: AgentCore, groupId: string, input: Json): Promise<ReadRun | undefined> {
  const { parentRunId } = originOf(groupId, '', input)
  if (parentRunId === undefined || !isRecord(input)) return undefined
  return readUpTo(await readOriginal(core, parentRunId), carriedIn(input))
}
