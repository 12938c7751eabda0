import type { Policy } from '../../core/domain/policies/policy.ts'
import type { PermissionRule } from '../../core/domain/permission-rule.ts'
import { nearestName } from '../../core/domain/text/nearest-name.ts'
import { UsageError } from '../../core/domain/text/usage-error.ts'
import type { Tool } from '../../core/ports/tool.ts'

/** Returns the permission rules inside policies; throws a `UsageError` for a rule that names no tool of the agent. */
export function rulesIn(policies: readonly Policy[], tools: readonly Pick<Tool, 'name'>[]): readonly PermissionRule[] {
  const names = tools.map(({ name }) => name)
  return policies.flatMap(({ text, atoms }) =>
    atoms.flatMap((atom) => {
      if (!('rule' in atom)) return []
      const { rule } = atom
      if (names.some((name) => rule.isAbout(name)) || rule.text === '*') return [rule]
      const [wanted = ''] = rule.text.split(/[\s(]/)
      const near = nearestName(wanted, names)
      const hint = near === undefined ? '' : ` Did you mean "${near}"?`
      const message = `The policy ${text} names the tool "${wanted}", which the agent does not have.${hint}`
      throw new UsageError('bad_option', `${message} Known: ${names.join(', ') || 'none'}.`)
    }),
  )
}

/** Returns the names of the persons in policies. A pattern is represented by one matching name. */
export function personsIn(policies: readonly Policy[]): readonly string[] {
  const names = policies.flatMap(({ atoms }) =>
    atoms.flatMap((atom) => (atom.kind === 'approvedBy' && atom.by !== undefined ? nameIn(atom.text) : [])),
  )
  return [...new Set(names)]
}

function nameIn(text: string): string {
  return text.slice('approvedBy('.length, -1).replace(/^"|"$/g, '').replace(/[*?]+/g, 'x')
}
