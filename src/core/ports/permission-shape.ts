import { isRecord } from '../domain/text/json.ts'
import * as is from '../domain/text/option-shape.ts'
import { parseRule, type PermissionRule, type RuleEffect, type RuleLists } from '../domain/permission-rule.ts'
import { thrownText } from '../domain/text/thrown-text.ts'
import type { PermissionManager, PermissionOptions } from './permissions.ts'
import { checkContract } from './define-contract.ts'

const effects: readonly RuleEffect[] = ['deny', 'allow', 'ask']

const mostRules = 1_000

const ruleList: is.OptionCheck = (value, option) => {
  is.listOf(is.text)(value, option)
  if (!Array.isArray(value) || value.length <= mostRules) return
  throw is.badOption(option, value.length, `Expected at most ${mostRules} rules.`)
}

const ruleLists: is.OptionCheck = (value, option) => {
  is.options<Required<RuleLists>>({
    deny: is.optional(ruleList),
    allow: is.optional(ruleList),
    ask: is.optional(ruleList),
  })(value, option)
  if (!isRecord(value)) return
  for (const effect of effects) {
    const list: unknown = value[effect]
    if (!Array.isArray(list)) continue
    for (const [index, rule] of list.entries()) {
      try {
        parseRule(effect, String(rule))
      } catch (error) {
        const wish = `${thrownText(error)} Write it as Tool, mcp__* or Tool(path ~ "src/**", mode != "force").`
        throw is.badOption({ ...option, field: `${option.field}.${effect}[${index}]` }, rule, wish)
      }
    }
  }
}

/** The check of the permission options. */
export const permissions = is.options<PermissionOptions>({
  rules: is.optional(ruleLists),
  policies: is.optional(is.having('policies([...]) of statewright/plugins', 'judge', 'broken')),
  policy: is.optional(is.callback),
  manager: is.optional(
    is.options<PermissionManager>({
      get: is.callback,
      set: is.optional(is.callback),
      requestBuilder: is.optional(is.callback),
      contract: is.optional(checkContract),
      domains: is.optional(is.listOf(is.filledText)),
      cleanup: is.optional(is.callback),
    }),
  ),
})

/** Returns checked lists of rules as one list of parsed rules. */
export function rulesOf(lists: RuleLists = {}): readonly PermissionRule[] {
  return effects.flatMap((effect) => (lists[effect] ?? []).map((rule) => parseRule(effect, rule)))
}
