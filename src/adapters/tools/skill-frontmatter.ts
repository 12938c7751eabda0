import { isMap, isScalar, parseDocument } from 'yaml'

type SkillFrontmatter =
  | {
      readonly ok: true
      /** Undefined if the file does not say. */
      readonly name?: string
      readonly description: string
      /** Near misses of the standard; the skill can be used. */
      readonly warnings: readonly string[]
    }
  | { readonly ok: false; readonly problem: string }

/** The number of characters within which the frontmatter of a SKILL.md must end. */
export const headLimit = 16_384

const knownFields = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools']

/**
 * Reads the frontmatter of a SKILL.md: YAML without types, tags and aliases, so that it can neither execute code nor
 * expand.
 */
export function readFrontmatter(text: string, folder: string): SkillFrontmatter {
  if (text.length > headLimit) return readFrontmatter(text.slice(0, headLimit), folder)
  const found = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)
  if (found === null)
    return {
      ok: false,
      problem: `has no frontmatter between two lines of "---"${text.length < headLimit ? '' : inHead}`,
    }
  const fields = fieldsOf(found[1] ?? '')
  if (typeof fields === 'string') return { ok: false, problem: `has frontmatter that cannot be read: ${fields}` }
  const description = fields.get('description')?.trim()
  if (description === undefined || description === '') return { ok: false, problem: 'has no description' }
  const name = fields.get('name')?.trim()
  const warnings = warningsOf(fields, folder)
  return { ok: true, ...(name === undefined || name === '' ? {} : { name }), description, warnings }
}

const inHead = ` in its first ${headLimit} characters`

function fieldsOf(yaml: string): ReadonlyMap<string, string> | string {
  const document = parsed(yaml)
  if (document === undefined) return 'it is nested too deeply.'
  const [error] = document.errors
  if (error !== undefined) return error.message
  if (!isMap(document.contents)) return 'it is not a list of fields.'
  const fields = new Map(document.contents.items.map(({ key, value }) => [textOf(key), textOf(value)] as const))
  // The parser compares every key with every other one.
  return fields.size < document.contents.items.length ? 'it has a field twice.' : fields
}

/** Only nesting beyond the stack makes it throw. */
function parsed(yaml: string) {
  try {
    return parseDocument(yaml, { schema: 'failsafe', logLevel: 'silent', prettyErrors: false, uniqueKeys: false })
  } catch {
    return undefined
  }
}

/** An alias is not a scalar, so aliases are never expanded. */
function textOf(node: unknown): string {
  return isScalar(node) && typeof node.value === 'string' ? node.value : ''
}

function warningsOf(fields: ReadonlyMap<string, string>, folder: string): readonly string[] {
  const name = fields.get('name')?.trim() ?? ''
  const { length } = fields.get('description') ?? ''
  const unknown = [...fields.keys()].filter((key) => !knownFields.includes(key))
  return [
    ...(name === '' ? ['has no name; that of its folder is taken'] : []),
    ...(name !== '' && !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)
      ? [`has a name other than a-z, 0-9 and "-": ${quoted(name)}`]
      : []),
    ...(name.length > 64 ? [`has a name of ${name.length} characters; at most 64 are expected`] : []),
    ...(name !== '' && name !== folder ? [`has a name, ${quoted(name)}, that is not its folder's`] : []),
    ...(length > 1024 ? [`has a description of ${length} characters; at most 1024 are expected`] : []),
    ...(unknown.length > 0 ? [`has unknown fields: ${unknown.slice(0, 10).map(quoted).join(', ')}`] : []),
  ]
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100))
}
