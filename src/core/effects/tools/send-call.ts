import { type Verdict, suspensionHead } from '../../domain/call-plan.ts'
import type { RunDetails } from '../../domain/run-details.ts'
import { type SentEvent, sourceOf, unitsOf } from '../../domain/service-event.ts'
import type { Suspension } from '../../domain/suspension.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import type { ServiceContract } from '../../ports/service-contract.ts'
import { hasParentSubject } from './service-tool.ts'

/** The dependencies of a call that is sent to a service. */
export type SendingContext = Pick<EffectContext, 'ids' | 'clock' | 'run'>

/** A call of a service that may run: it is suspended, and sent in the same commit. */
export interface SentCall {
  readonly verdict: Verdict
  readonly suspension: Suspension
}

/**
 * Returns the verdict and the suspension of a call that is sent to its service. Undefined for a call that may not run,
 * or whose tool is not a service.
 */
export function sentCall(
  agent: string,
  service: ServiceContract | undefined,
  { kind, gated }: Verdict,
  { ids, clock, run }: SendingContext,
): SentCall | undefined {
  if (service === undefined || kind !== 'allowed') return undefined
  const { expiresInMs } = service
  const suspension: Suspension = {
    id: ids.next('sus'),
    reason: 'service',
    ...(expiresInMs === undefined ? {} : { expiresAt: clock.now() + expiresInMs }),
    sends: sentEvent(agent, service, run),
  }
  const head = suspensionHead(suspension)
  return { suspension, verdict: { kind: 'suspended', suspension: head, ...(gated === true ? { gated } : {}) } }
}

/** Returns the event of a run to a service. */
export function sentEvent(agent: string, service: ServiceContract, run: RunDetails): SentEvent {
  const { type, version, cancel, executionUnits, accepts } = service
  const domain = domainOf(service, run)
  return {
    source: sourceOf(agent, run.id),
    type,
    subject: run.subject,
    domains: domain === undefined ? [] : [domain],
    ...(cancel === undefined ? {} : { cancel }),
    ...(hasParentSubject(accepts) ? { hasParentSubject: true } : {}),
    attributes: {
      contractversion: version,
      ...(executionUnits === undefined ? {} : { executionunits: unitsOf(executionUnits) }),
      ...(run.served === undefined ? {} : { parentid: run.served.id }),
      ...(run.delegatedBy === undefined ? {} : { delegatedby: run.delegatedBy }),
    },
  }
}

function domainOf({ domain }: ServiceContract, { labels }: RunDetails): string | undefined {
  if (domain === undefined || typeof domain === 'string') return domain
  const { tenant } = labels
  return tenant !== undefined && Object.hasOwn(domain, tenant) ? domain[tenant] : undefined
}
