import type { Happened } from './carry-on.ts'

/** The outcome of a run, with its forecast. */
const words: { readonly [symptom: string]: readonly [said: RegExp, seen: RegExp] } = {
  'the tool is gone': [/because the tool is gone/, / unknown_tool /],
  'the arguments do not fit': [/its arguments no longer fit/, / bad_arguments /],
  'a rule refuses': [/would be refused, because of the rule/, /the permission rule .* denies this call/],
  'a policy refuses': [/because of the policy/, /the policy .* forbids this call/],
  'the model has no price': [/because it has no price/, /has no price, and the cost/],
  'no manager can ask': [/because the permission manager is gone/, /has no permission manager any more/],
  'a rule asks': [/would be asked about, because of the rule/, /alone asked for approval/],
  'it is interrupted': [/because the tool must not act twice/, /safe asked for interrupted/],
}

/** Returns what a forecast of the new code alone says. */
export function saidOf(reasons: readonly string[]): readonly string[] {
  const isStuck = reasons.some((reason) => reason.startsWith('stuck: '))
  if (isStuck) return ['refused']
  const isSaid = (text: RegExp) => reasons.some((reason) => text.test(reason))
  const found = Object.keys(words).filter((symptom) => words[symptom] && isSaid(words[symptom][0]))
  return isSaid(/asked about again/) ? ['asked again', ...found] : found
}

/** Returns what has happened. */
export function seenOf({ refused, calls }: Happened): readonly string[] {
  if (refused !== undefined) return ['refused']
  const text = calls.join('\n')
  const found = Object.keys(words).filter((symptom) => words[symptom]?.[1].test(text))
  // Everything was approved once, so that a call that still asks has asked again.
  const isAskedAgain = / suspended (approval|input|plugin)$/m.test(text)
  return isAskedAgain ? ['asked again', ...found] : found
}
