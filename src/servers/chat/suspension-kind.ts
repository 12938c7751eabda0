import type { SuspendedCall } from '../../ports.ts'

/** How a suspended call is answered: with a yes or a no, or with a value. */
export function asksFor({ suspension, isHold }: SuspendedCall): 'approval' | 'value' {
  if (isHold === true || suspension === undefined) return 'approval'
  const { reason, responseSchema } = suspension
  return responseSchema !== undefined || reason === 'input' || reason === 'service' || reason === 'subAgent'
    ? 'value'
    : 'approval'
}
