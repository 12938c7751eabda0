import { parseSync } from 'oxc-parser'

/** A name a module exports by declaring it. */
export interface ExportedName {
  readonly name: string
  readonly line: number
  /** The text of its doc comment in one line; empty where it has none. */
  readonly sentence: string
}

/** Every name a module declares and exports, with its sentence; names it only passes on have theirs elsewhere. */
export function readExports(path: string, text: string): readonly ExportedName[] {
  const { program, comments, errors } = parseSync(path, text, { sourceType: 'module' })
  const [error] = errors
  if (error !== undefined) throw new Error(`${path} cannot be parsed: ${error.message}`)
  return program.body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration' || statement.declaration === null) return []
    const comment = comments.findLast(({ end }) => end <= statement.start)
    const isDoc = comment?.type === 'Block' && comment.value.startsWith('*')
    const isBeside = comment !== undefined && text.slice(comment.end, statement.start).trim() === ''
    const sentence = isDoc && isBeside ? textOf(comment.value) : ''
    const line = text.slice(0, statement.start).split('\n').length
    return namesOf(statement.declaration).map((name) => ({ name, line, sentence }))
  })
}

function namesOf(node: object): readonly string[] {
  if ('declarations' in node && Array.isArray(node.declarations)) return node.declarations.flatMap(namesOf)
  if (!('id' in node) || typeof node.id !== 'object' || node.id === null) return []
  return 'name' in node.id ? [String(node.id.name)] : []
}

/** What a doc comment says before its first tag. */
function textOf(comment: string): string {
  const [before = ''] = comment.split(/^\s*\*?\s*@/m)
  return before
    .replaceAll(/^\s*\*+\s?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
