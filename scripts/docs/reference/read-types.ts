import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { parseSync } from 'oxc-parser'

type Program = ReturnType<typeof parseSync>['program']
type Statement = Program['body'][number]
type Interface = Extract<Statement, { type: 'TSInterfaceDeclaration' }>
type Alias = Extract<Statement, { type: 'TSTypeAliasDeclaration' }>
type Member = Interface['body']['body'][number]
type TypeNode = Alias['typeAnnotation']

/** A field of a type, as its source declares it. */
export interface Field {
  readonly name: string
  readonly isOptional: boolean
  /** Its type as written, on one line. */
  readonly type: string
  /** Its doc comment on one line; empty without one. */
  readonly doc: string
}

/** A declared type of a module. An object type has `fields`; a union has one entry in `members` for each member. */
export interface DeclaredType {
  readonly name: string
  readonly module: string
  readonly isInterface: boolean
  readonly doc: string
  readonly fields: readonly Field[]
  /** The types that it extends. */
  readonly parents: readonly string[]
  readonly members: readonly UnionMember[]
}

/** A member of a union of objects: its fields with those of an intersection's parts. */
export interface UnionMember {
  readonly doc: string
  readonly fields: readonly Field[]
}

/** Returns a type that a module declares or imports from another of our modules; undefined if there is none. */
export function readType(module: string, name: string): DeclaredType | undefined {
  const { program, text, docAt } = parsed(module)
  for (const statement of program.body) {
    const node = declarationIn(statement)
    if (node === undefined || node.id.name !== name) continue
    const reader = { module, text, docAt }
    const isInterface = node.type === 'TSInterfaceDeclaration'
    return {
      name,
      module,
      isInterface,
      doc: docAt(statement.start),
      fields: isInterface ? node.body.body.flatMap((member) => fieldOf(member, reader)) : [],
      parents: isInterface ? node.extends.map(({ start, end }) => parentIn(text.slice(start, end))) : [],
      members: isInterface ? [] : membersOf(node.typeAnnotation, '', reader),
    }
  }
  const from = importedFrom(program, module, name)
  return from === undefined ? undefined : readType(from.module, from.name)
}

/** Returns the name of a parent; `Partial<Parts>` is `Parts`. */
function parentIn(written: string): string {
  return written.replace(/^Partial<(\w+)>$/, '$1')
}

interface Reader {
  readonly module: string
  readonly text: string
  readonly docAt: (start: number) => string
}

interface Parsed extends Omit<Reader, 'module'> {
  readonly program: Program
}

const modules = new Map<string, Parsed>()

function parsed(module: string): Parsed {
  const known = modules.get(module)
  if (known !== undefined) return known
  const text = readFileSync(module, 'utf8')
  const { program, comments, errors } = parseSync(module, text, { sourceType: 'module' })
  const [error] = errors
  if (error !== undefined) throw new Error(`${module} cannot be parsed: ${error.message}`)
  const docs = comments.filter(({ type, value }) => type === 'Block' && value.startsWith('*'))
  const docAt = (start: number) => {
    const doc = docs.findLast(({ end }) => end <= start)
    return doc === undefined || !/^[\s|(]*$/.test(text.slice(doc.end, start)) ? '' : onOneLine(doc.value)
  }
  const made = { text, program, docAt }
  modules.set(module, made)
  return made
}

/** Returns a doc comment without its stars and without its examples. */
function onOneLine(comment: string): string {
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\*+ ?/, '').trim())
  const end = lines.findIndex((line) => line.startsWith('@'))
  return (end < 0 ? lines : lines.slice(0, end)).join(' ').replaceAll(/\s+/g, ' ').trim()
}

function declarationIn(statement: Statement): Interface | Alias | undefined {
  const node =
    statement.type === 'ExportNamedDeclaration' && statement.declaration !== null ? statement.declaration : statement
  return node.type === 'TSInterfaceDeclaration' || node.type === 'TSTypeAliasDeclaration' ? node : undefined
}

function fieldOf(member: Member, { text, docAt }: Reader): readonly Field[] {
  const doc = docAt(member.start)
  if (member.type === 'TSPropertySignature' && member.key.type === 'Identifier') {
    const given = member.typeAnnotation?.typeAnnotation
    const type = given === undefined ? 'unknown' : typeText(text, given)
    return [{ name: member.key.name, isOptional: member.optional, type, doc }]
  }
  if (member.type !== 'TSMethodSignature' || member.key.type !== 'Identifier') return []
  const type = typeText(text, { start: member.key.end, end: member.end }).replace(/^\?/, '')
  return [{ name: member.key.name, isOptional: member.optional, type, doc }]
}

/** Returns the text of a node on one line, without its comments. */
function typeText(text: string, { start, end }: { readonly start: number; readonly end: number }): string {
  const written = text.slice(start, end).replaceAll(/\/\*[^]*?\*\//g, '')
  return written.replaceAll(/\s+/g, ' ').replaceAll('readonly ', '').replace(/^\| /, '').trim()
}

function membersOf(node: TypeNode, doc: string, reader: Reader): readonly UnionMember[] {
  const own = reader.docAt(node.start) || doc
  if (node.type === 'TSUnionType') return node.types.flatMap((member) => membersOf(member, doc, reader))
  if (node.type === 'TSParenthesizedType') return membersOf(node.typeAnnotation, own, reader)
  if (node.type === 'TSConditionalType') return membersOf(node.trueType, own, reader)
  if (node.type === 'TSTypeReference') return referred(reader, typeText(reader.text, node.typeName), own)
  if (node.type === 'TSTypeLiteral') {
    return [{ doc: own, fields: node.members.flatMap((member) => fieldOf(member, reader)) }]
  }
  if (node.type !== 'TSIntersectionType') return []
  return node.types
    .map((part) => membersOf(part, own, reader))
    .reduce((all, part) => all.flatMap((left) => part.map((right) => joined(left, right))))
}

function joined(left: UnionMember, right: UnionMember): UnionMember {
  return { doc: right.doc || left.doc, fields: [...left.fields, ...right.fields] }
}

function referred({ module }: Reader, name: string, doc: string): readonly UnionMember[] {
  const found = readType(module, name)
  if (found === undefined) return []
  if (!found.isInterface) return found.members.map((member) => ({ ...member, doc: member.doc || doc }))
  const inherited = found.parents.flatMap((parent) => readType(found.module, parent)?.fields ?? [])
  return [{ doc, fields: [...inherited, ...found.fields] }]
}

function importedFrom({ body }: Program, module: string, name: string) {
  for (const statement of body) {
    const isWritten = statement.type === 'ImportDeclaration' || statement.type === 'ExportNamedDeclaration'
    if (!isWritten || statement.source === null || !statement.source.value.startsWith('.')) continue
    const from = posix.normalize(posix.join(posix.dirname(module), statement.source.value))
    if (!existsSync(from)) continue
    for (const specifier of statement.specifiers) {
      if (specifier.type === 'ImportSpecifier' && specifier.local.name === name) {
        return { module: from, name: nameOf(specifier.imported) }
      }
      if (specifier.type === 'ExportSpecifier' && nameOf(specifier.exported) === name) {
        return { module: from, name: nameOf(specifier.local) }
      }
    }
  }
  return undefined
}

function nameOf(node: object): string {
  return 'name' in node ? String(node.name) : 'value' in node ? String(node.value) : ''
}
