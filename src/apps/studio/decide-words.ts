import type { Decision, DecisionReceipt } from '../../index.ts'
import type { DecisionScope, SuspendedCall } from '../../ports.ts'
import { lineText } from './format.ts'

/** Returns a description of each scope of an answer. */
export function scopeWords({ toolName, suspension }: SuspendedCall): Readonly<Record<DecisionScope, string>> {
  const name = lineText(toolName, 40)
  const what = suspension?.rule === undefined ? `each call of ${name}` : `each call of ${name} this rule asks about`
  return {
    once: 'only this call',
    run: `${what}, in this run`,
    family: `${what}, in all runs of this family`,
    always: `${what}, in all runs of this user`,
  }
}

/** Returns the label of the button that lets a call run. */
export function approveText({ suspension }: SuspendedCall): string {
  if (suspension?.reason === 'interrupted') return 'Run it again'
  return suspension?.reason === 'model_unavailable' ? 'Ask the model again' : 'Approve'
}

/** Returns why a call waits. */
export function reasonText(reason = ''): string {
  return reasons[reason] ?? 'waits'
}

const reasons: Readonly<Record<string, string>> = {
  approval: 'asks before it runs',
  input: 'asks you',
  interrupted: 'interrupted',
  service: 'waits for a service',
  permission: 'needs a permission',
  subAgent: 'waits for its sub-agent',
  plugin: 'held by a plugin',
  model_unavailable: 'no model answered',
  limit: 'limit reached',
}

/** Returns a text about the effect of an answer. */
export function receiptText(
  receipt: DecisionReceipt | undefined,
  drive: string,
  { action, mode }: Omit<Decision, 'target'>,
): string {
  switch (receipt?.answer) {
    case 'applied':
    case 'kept': {
      const what = action === 'cancel' ? 'Denied.' : mode === undefined || mode === 'replay' ? 'Approved.' : 'Answered.'
      return drive === 'elsewhere'
        ? `${what} Nobody drives the run here: a worker or "statewright resume" continues it.`
        : what
    }
    case 'duplicate':
      return 'Somebody else answered first, so your answer changed nothing.'
    case 'stale':
      return 'The call no longer waits, so your answer changed nothing.'
    case undefined:
    case 'unknown':
    case 'refused':
      return receipt?.message ?? 'The call is unknown, so your answer changed nothing.'
  }
}
