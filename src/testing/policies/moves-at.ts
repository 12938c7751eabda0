import type { CallRecord } from '../../core/domain/call.ts'
import { canonicalJson } from '../../core/domain/text/json.ts'
import { isChild } from '../../core/family/bind-child-tools.ts'
import type { Plugin } from '../../core/ports/plugin.ts'
import type { TestedAgent } from '../paths/agent-under-test.ts'
import type { CallClass } from './argument-classes.ts'
import type { PolicyCall, PolicyMove } from './policy-script.ts'
import { endingPhases } from './stub-agent.ts'
import type { Rest } from './walk-run.ts'

/** The unused part of a bound. */
export interface Left {
  readonly calls: number
  readonly decisions: number
  readonly crashes: number
}

/** The other events that may happen. */
export interface MoveParts {
  readonly agent: TestedAgent
  readonly classes: readonly CallClass[]
  /** Names of persons; the unnamed one is always there. */
  readonly persons: readonly string[]
  /** The cost of an expensive answer in US dollars; absent if nothing asks about costs. */
  readonly cost?: number
}

/** Returns every move at a resting state that the unused part of the bound allows. */
export function movesAt({ at, waiting, run }: Rest, left: Left, parts: MoveParts): readonly PolicyMove[] {
  switch (at) {
    case 'crash':
      return [{ kind: 'restart' }]
    case 'model':
      return modelMoves(left.calls, parts)
    case 'wait':
      if (left.decisions === 0) return []
      return [
        ...waiting.flatMap((call, place) =>
          personMoves(call, run.calls.get(call.toolCallId), parts).map((move): PolicyMove => ({
            kind: 'person',
            call: place,
            ...move,
          })),
        ),
        { kind: 'person', does: 'cancel the run', call: 0 },
      ]
    case 'done':
      return []
  }
}

function modelMoves(calls: number, parts: MoveParts): readonly PolicyMove[] {
  const { agent, classes, cost } = parts
  const singles = classes.flatMap((one) => callsOf(one, agent))
  const plain = singles.filter(
    ({ asks, fails, gate }) => asks === undefined && fails === undefined && gate === undefined,
  )
  const pairs = plain.flatMap((first, index) => plain.slice(index).map((second) => [first, second]))
  const answers = [[], ...(calls >= 1 ? singles.map((one) => [one]) : []), ...(calls >= 2 ? pairs : [])]
  const ends =
    agent.plugins?.some((plugin: Plugin) => endingPhases.some((phase) => plugin[phase] !== undefined)) === true
  return answers.flatMap((given): readonly PolicyMove[] => [
    { kind: 'model', calls: given },
    ...(cost !== undefined && given.length < 2 ? [{ kind: 'model' as const, calls: given, cost }] : []),
    ...(ends && given.length === 1 ? [{ kind: 'model' as const, calls: given, ends }] : []),
  ])
}

/** Returns a call with everything that may become of it. */
function callsOf(
  { tool, arguments: given }: CallClass,
  { plugins = [], permissions }: TestedAgent,
): readonly PolicyCall[] {
  const call: PolicyCall = { tool: tool.name, arguments: given }
  const isGated = plugins.some(({ gateCall, beforeTool }) => gateCall !== undefined || beforeTool !== undefined)
  const managed: readonly PolicyCall[] =
    permissions?.policy === undefined
      ? [call]
      : [
          call,
          { ...call, manager: 'denied' },
          ...(permissions.manager === undefined ? [] : [{ ...call, manager: 'requestable' as const }]),
        ]
  const needed = typeof tool.needs === 'function' ? managed.flatMap((one) => [one, { ...one, needs: true }]) : managed
  const gated = isGated
    ? needed.flatMap((one): readonly PolicyCall[] => [
        one,
        { ...one, gate: 'blocks' },
        { ...one, gate: 'suspends' },
        { ...one, gate: 'gives a result' },
      ])
    : needed
  if (tool.service !== undefined) return gated
  const more: readonly Partial<PolicyCall>[] = isChild(tool) ? [{ asks: true }, { fails: true }] : [{ asks: true }]
  return gated.flatMap((one) => [one, ...(one.gate === undefined ? more.map((other) => ({ ...one, ...other })) : [])])
}

type PersonMove = Omit<Extract<PolicyMove, { readonly kind: 'person' }>, 'kind' | 'call'>

function personMoves(
  { isHold, suspension, resumeMode, toolName }: CallRecord,
  chosen: PolicyCall | undefined,
  { persons, classes }: MoveParts,
): readonly PersonMove[] {
  const { reason, expiresAt, scopes } = suspension ?? {}
  const time: readonly PersonMove[] = expiresAt === undefined ? [] : [{ does: 'let the time pass' }]
  const approve: readonly PersonMove[] = [
    { does: 'approve' },
    ...persons.map((by) => ({ does: 'approve' as const, by })),
  ]
  const deny: PersonMove = { does: 'deny' }
  if (isHold === true) return [{ does: 'approve' }, deny, ...time]
  if (reason === 'service') return [{ does: 'answer as the service' }, { does: 'fail as the service' }, deny, ...time]
  if (reason === 'subAgent') return [{ does: 'end as the sub-agent' }, { does: 'fail as the sub-agent' }, deny, ...time]
  if (reason !== 'approval') return [...approve, { does: 'respond' }, deny, ...time]
  const isGrantable = resumeMode === 'replay' && (scopes === undefined || scopes.includes('run'))
  const given = canonicalJson(chosen?.arguments ?? null)
  const others = classes.filter((one) => one.tool.name === toolName && canonicalJson(one.arguments) !== given)
  const edits = resumeMode === 'replay' ? others.map((one): PersonMove => ({ does: 'edit', input: one.arguments })) : []
  const granted: readonly PersonMove[] = isGrantable ? [{ does: 'approve for the run' }] : []
  return [...approve, ...edits, ...granted, deny, ...time]
}
