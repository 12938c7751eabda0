import { type Field, readType } from './read-types.ts'
import { writeReference, writeTable } from './write-table.ts'

/** A heading of the page, and the type whose fields it lists. */
interface Section {
  readonly title: string
  readonly module: string
  readonly type: string
  /** A type with more fields, and the doc comments of fields that `type` narrows. */
  readonly base?: { readonly module: string; readonly type: string }
}

const tool = 'src/core/ports/tool.ts'
const prompts = 'src/core/ports/prompt-strategy.ts'
const permissions = 'src/core/ports/permissions.ts'

const sections: readonly Section[] = [
  { title: 'createAgent', module: 'src/core/agent/options.ts', type: 'AgentOptions' },
  { title: 'createAgent: limits', module: 'src/core/driving/run-options.ts', type: 'LimitsOption' },
  { title: 'createAgent: request', module: 'src/core/agent/options.ts', type: 'RequestSettings' },
  { title: 'createAgent: retry', module: 'src/core/ports/retry-options.ts', type: 'RetryOptions' },
  { title: 'createAgent: compaction', module: prompts, type: 'CompactionOptions' },
  { title: 'createAgent: compaction.summaries', module: prompts, type: 'SummaryOptions' },
  { title: 'createAgent: permissions', module: permissions, type: 'PermissionOptions' },
  { title: 'createAgent: permissions.manager', module: permissions, type: 'PermissionManager' },
  { title: 'createAgent: output', module: 'src/core/agent/options.ts', type: 'BuiltOutput' },
  { title: 'tool', module: tool, type: 'ToolOptions', base: { module: tool, type: 'Tool' } },
  { title: 'tool: retry', module: tool, type: 'ToolRetry' },
]

/** Types of options whose fields need a section of this page. */
const nested = /\b\w+(?:Options?|Settings|Retry)\b/g

/** Returns the page of all options of `createAgent` and `tool`. Throws if an option has no doc comment or no section. */
export function writeOptions(): string {
  const listed = new Set(sections.map(({ type }) => type))
  const types = new Set(sections.flatMap((section) => fieldsOf(section).map(({ type }) => type)))
  const parts = sections.map((section) => {
    const fields = fieldsOf(section)
    const isPartial = types.has(`Partial<${section.type}>`)
    const rows = fields.map((field) => {
      for (const [name] of field.type.matchAll(nested)) {
        const found = readType(section.module, name)
        if (found?.isInterface === true && !listed.has(name)) throw new Error(`The page of options has no ${name}.`)
      }
      return [
        `\`${field.name}\`${field.isOptional || isPartial ? '' : ' (required)'}`,
        `\`${field.type}\``,
        meaningOf(section, field),
      ]
    })
    return `## ${section.title}\n\n${writeTable(['Option', 'Type', 'Meaning'], rows)}`
  })
  return writeReference(
    'Options',
    'All options of `createAgent` and of `tool`. Everything else has its options in its declarations, which an editor shows. A wrong option throws a `UsageError` with the code `bad_option` when the agent is created.',
    parts,
  )
}

function fieldsOf({ module, type, base }: Section): readonly Field[] {
  const own = readType(module, type)?.fields ?? []
  if (base === undefined) return own
  return (readType(base.module, base.type)?.fields ?? []).map((field) => ({
    ...field,
    ...own.find(({ name }) => name === field.name),
    doc: field.doc,
  }))
}

/** Returns the doc comment of an option, or else that of its type. */
function meaningOf({ module, title }: Section, { name, type, doc }: Field): string {
  const meaning = doc === '' ? readType(module, type.replace(/^Partial<(\w+)>$/, '$1').replace(/<.*/, ''))?.doc : doc
  if (meaning === undefined || meaning === '') throw new Error(`Option "${name}" of ${title} has no doc comment.`)
  return meaning
}
