import { argumentsOf } from '../../domain/call.ts'
import type { OwnParts } from '../../driving/agent-core.ts'
import { rulesAcross } from '../../effects/permissions/judge-call.ts'
import { brokenPolicy } from './broken-policy.ts'
import type { AskedCall } from './open-call.ts'
import { type Saying, would } from './saying.ts'

/** The forecast for a call before somebody approves it. */
interface Before {
  readonly saying?: Saying
  /** True if no approval follows. */
  readonly isOver: boolean
}

/** Returns the forecast for a call that has not asked yet: one that is about to start, or that was under way. */
export async function sayingBefore(parts: OwnParts, asked: AskedCall): Promise<Before> {
  const { call, tool, next, run } = asked
  const { toolName: name } = call
  if (next.kind === 'start') {
    const ruled = await rulesAcross(parts, { name, arguments: argumentsOf(call, run.log), tool }, run.details)
    const isAsking = next.isAsking || ruled?.effect === 'ask'
    const broken = isAsking || ruled?.effect === 'deny' ? undefined : await brokenPolicy(parts, asked, undefined, false)
    if (broken !== undefined) return { saying: broken, isOver: true }
    if (ruled === undefined || ruled.effect === 'allow' || (ruled.effect === 'ask' && next.isAsking))
      return { isOver: false }
    const { effect, rule } = ruled
    const what = effect === 'deny' ? 'refused' : 'asked about'
    return {
      saying: would(`A call of "${name}" would be ${what}, because of the rule ${rule.text}.`),
      isOver: effect === 'deny',
    }
  }
  if (next.kind !== 'interrupted' || tool === undefined) return { isOver: false }
  if (tool.probe !== undefined) {
    const reason = `Code decides: the probe of the tool "${name}".`
    return { saying: { outlook: 'unknown', reason }, isOver: true }
  }
  if (!next.isNew) return { isOver: false }
  const reason = `A call of "${name}" that was under way would be asked about, because the tool must not act twice.`
  return { saying: would(reason), isOver: false }
}
