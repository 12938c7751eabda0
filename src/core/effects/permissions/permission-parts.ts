import type { PermissionRule } from '../../domain/permission-rule.ts'
import type { PermissionOptions } from '../../ports/permissions.ts'
import type { ToolTable } from '../agent-tools.ts'

/** The permissions of an agent, for judging a call. */
export interface PermissionParts extends Omit<PermissionOptions, 'rules'> {
  readonly rules: readonly PermissionRule[]
}

/** The permissions of an agent at a higher level. */
export interface InheritedPermissions extends PermissionParts {
  readonly agent: string
}

/** Returns the tools that a model is offered. A tool that is denied for any arguments is not among them. */
export function shownTools(permissions: PermissionParts | undefined, tools: ToolTable): ToolTable {
  if (permissions === undefined) return tools
  const { rules } = permissions
  if (![...tools.keys()].some((name) => isDeniedWhole(rules, name))) return tools
  return new Map([...tools].filter(([name]) => !isDeniedWhole(rules, name)))
}

/** Returns true if no call of a tool may run, with any arguments. */
function isDeniedWhole(rules: readonly PermissionRule[], toolName: string): boolean {
  return rules.some((rule) => rule.effect === 'deny' && rule.conditions.length === 0 && rule.isAbout(toolName))
}
