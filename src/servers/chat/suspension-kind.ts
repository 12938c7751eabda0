import type { SuspendedCall } from '../../ports.ts'

/** Returns the target of a decision that answers this question of a call, and no later one. */
export function targetOf(
  { callId, suspension }: Pick<SuspendedCall, 'callId' | 'suspension'>,
  suspensionId = suspension?.id,
): string {
  // The call of a sub-agent is named by the run that has it.
  return suspensionId === undefined ? callId : callId.slice(0, callId.lastIndexOf('/') + 1) + suspensionId
}

/** Returns the kind of answer to a suspended call: `approval` for yes or no, otherwise `value`. */
export function asksFor({ suspension, isHold }: SuspendedCall): 'approval' | 'value' {
  if (isHold === true || suspension === undefined) return 'approval'
  const { reason, responseSchema } = suspension
  return responseSchema !== undefined || reason === 'input' || reason === 'service' || reason === 'subAgent'
    ? 'value'
    : 'approval'
}
