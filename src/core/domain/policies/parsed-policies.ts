import { badOption, filledText, listOf } from '../text/option-shape.ts'
import { thrownText } from '../text/thrown-text.ts'
import { parsePolicy } from './parse-policy.ts'
import type { Policy } from './policy.ts'

/** The maximum number of policies. */
const mostPolicies = 100

/** Returns parsed policies; `owner` names the function that was given their texts. */
export function parsedPolicies(texts: readonly string[], owner: string): readonly Policy[] {
  const option = { field: 'policies', owner }
  listOf(filledText)(texts, option)
  if (texts.length > mostPolicies) throw badOption(option, texts.length, `Expected at most ${mostPolicies} policies.`)
  return texts.map((text, index) => {
    try {
      return parsePolicy(text)
    } catch (error) {
      const wish = `${thrownText(error)} Write it as never(ran(tool) and not approvedBy(name)).`
      throw badOption({ ...option, field: `policies[${index}]` }, text, wish)
    }
  })
}
