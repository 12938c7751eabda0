import type { SuspendedCall } from '../../ports.ts'

/** Returns the target of a decision that is about this question of a call, and about no later one. */
export function targetOf(
  { callId, suspension }: Pick<SuspendedCall, 'callId' | 'suspension'>,
  suspensionId = suspension?.id,
): string {
  // The call of a sub-agent is named by the run that has it.
  return suspensionId === undefined ? callId : callId.slice(0, callId.lastIndexOf('/') + 1) + suspensionId
}

/** Returns how a suspended call is answered: `approval` for yes or no, else with a value. */
export function asksFor({ suspension, isHold }: SuspendedCall): 'approval' | 'value' {
  if (isHold === true || suspension === undefined) return 'approval'
  const { reason, responseSchema } = suspension
  return responseSchema !== undefined || reason === 'input' || reason === 'service' || reason === 'subAgent'
    ? 'value'
    : 'approval'
}
