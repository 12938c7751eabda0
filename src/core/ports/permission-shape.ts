import { isRecord } from '../domain/text/json.ts'
import {
  badOption,
  callback,
  filledText,
  having,
  listOf,
  optional,
  type OptionCheck,
  options,
  text,
} from '../domain/text/option-shape.ts'
import { parseRule, type PermissionRule, type RuleEffect, type RuleLists } from '../domain/permission-rule.ts'
import { thrownText } from '../domain/text/thrown-text.ts'
import type { PermissionManager, PermissionOptions } from './permissions.ts'
import { checkContract } from './define-contract.ts'

const effects: readonly RuleEffect[] = ['deny', 'allow', 'ask']

const mostRules = 1_000

const ruleList: OptionCheck = (value, option) => {
  listOf(text)(value, option)
  if (!Array.isArray(value) || value.length <= mostRules) return
  throw badOption(option, value.length, `Expected at most ${mostRules} rules.`)
}

const ruleLists: OptionCheck = (value, option) => {
  options<Required<RuleLists>>({
    deny: optional(ruleList),
    allow: optional(ruleList),
    ask: optional(ruleList),
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
        throw badOption({ ...option, field: `${option.field}.${effect}[${index}]` }, rule, wish)
      }
    }
  }
}

/** The check of the permission options. */
export const permissions = options<PermissionOptions>({
  rules: optional(ruleLists),
  policies: optional(having('policies([...]) of statewright/plugins', 'judge', 'broken')),
  policy: optional(callback),
  manager: optional(
    options<PermissionManager>({
      get: callback,
      set: optional(callback),
      requestBuilder: optional(callback),
      contract: optional(checkContract),
      domains: optional(listOf(filledText)),
      cleanup: optional(callback),
    }),
  ),
})

/** Returns checked lists of rules as one list of parsed rules. */
export function rulesOf(lists: RuleLists = {}): readonly PermissionRule[] {
  return effects.flatMap((effect) => (lists[effect] ?? []).map((rule) => parseRule(effect, rule)))
}
