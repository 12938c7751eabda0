import { posix } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

/** A name in a module of ours; `module` is its source path from the top of the repository. */
export interface Place {
  readonly module: string
  readonly name: string
}

/** What one declaration file says: what it lets out, and what each of its names is made of. */
export interface Declarations {
  /** Exported name to where it is declared; a name of another module may be passed on there again. */
  readonly exports: ReadonlyMap<string, Place>
  /** Modules whose every export is passed on. */
  readonly passedOn: readonly string[]
  /** Declared name to the names its type is written with; those of packages and of the platform are left out. */
  readonly declared: ReadonlyMap<string, readonly Place[]>
}

type Program = ReturnType<typeof parseSync>['program']
type Statement = Program['body'][number]

/** Reads the declarations the compiler made of a module; `module` is the path of its source. */
export function readDeclarations(module: string, text: string): Declarations {
  const { program, errors } = parseSync(module.replace(/\.ts$/, '.d.ts'), text, { sourceType: 'module' })
  const [error] = errors
  if (error !== undefined) throw new Error(`The declarations of ${module} cannot be parsed: ${error.message}`)
  const imported = importsOf(module, program)
  const statements = program.body.flatMap((statement) => declarationsIn(statement))
  const local = new Set(statements.map(([name]) => name))
  const resolve = ({ module: from, name }: Place): readonly Place[] => {
    if (from !== module) return [{ module: from, name }]
    const [head = '', member = '*'] = name.split('.')
    if (local.has(head)) return [{ module, name: head }]
    const place = imported.get(head)
    if (place === undefined) return []
    return [place.name === '*' ? { module: place.module, name: member } : place]
  }
  const declared = new Map<string, readonly Place[]>()
  for (const [name, statement] of statements) {
    const places = namesIn(module, statement).flatMap(resolve)
    declared.set(name, [...(declared.get(name) ?? []), ...places])
  }
  return { declared, ...exportsOf(module, program, imported) }
}

/** Local name to what it stands for; the name `*` is the whole module. */
function importsOf(module: string, { body }: Program): ReadonlyMap<string, Place> {
  const imported = new Map<string, Place>()
  for (const statement of body) {
    if (statement.type !== 'ImportDeclaration') continue
    const from = moduleNamed(module, statement.source.value)
    if (from === undefined) continue
    for (const specifier of statement.specifiers) {
      const name = specifier.type === 'ImportSpecifier' ? nameOf(specifier.imported) : '*'
      imported.set(specifier.local.name, { module: from, name })
    }
  }
  return imported
}

/** What a statement declares, each name with the statement it is declared by. */
function declarationsIn(statement: Statement): readonly (readonly [string, Statement])[] {
  const isExport = statement.type === 'ExportNamedDeclaration'
  const node = isExport && statement.declaration !== null ? statement.declaration : statement
  if (node.type === 'VariableDeclaration') {
    return node.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [[id.name, node] as const] : []))
  }
  if (!('id' in node) || node.id === null || !('name' in node.id)) return []
  return [[node.id.name, node]]
}

function exportsOf(
  module: string,
  { body }: Program,
  imported: ReadonlyMap<string, Place>,
): Pick<Declarations, 'exports' | 'passedOn'> {
  const exports = new Map<string, Place>()
  const passedOn: string[] = []
  for (const statement of body) {
    if (statement.type === 'ExportAllDeclaration') passedOn.push(moduleNamed(module, statement.source.value) ?? '')
    if (statement.type !== 'ExportNamedDeclaration') continue
    for (const [name] of declarationsIn(statement)) exports.set(name, { module, name })
    const from = statement.source === null ? module : moduleNamed(module, statement.source.value)
    for (const specifier of statement.specifiers) {
      const name = nameOf(specifier.local)
      const place = statement.source === null ? imported.get(name) : undefined
      if (from !== undefined) exports.set(nameOf(specifier.exported), place ?? { module: from, name })
    }
  }
  return { exports, passedOn: passedOn.filter((path) => path !== '') }
}

/** The names a type is written with, as they stand: `Json`, `run.RunInput`, or one of `import('./json.ts')`. */
function namesIn(module: string, statement: Statement): readonly Place[] {
  const found: Place[] = []
  const add = (node: object) => {
    const name = writtenName(node)
    if (name !== '') found.push({ module, name })
  }
  new Visitor({
    TSTypeReference: ({ typeName }) => add(typeName),
    TSInterfaceHeritage: ({ expression }) => add(expression),
    TSClassImplements: ({ expression }) => add(expression),
    TSTypeQuery: ({ exprName }) => add(exprName),
    ClassDeclaration: ({ superClass }) => {
      if (superClass !== null) add(superClass)
    },
    TSImportType: ({ source, qualifier }) => {
      const from = moduleNamed(module, source.value)
      if (from !== undefined && qualifier !== null) found.push({ module: from, name: writtenName(qualifier) })
    },
  }).visit({ type: 'Program', body: [statement], sourceType: 'module', hashbang: null, start: 0, end: 0 })
  return found
}

/** `a.b` of a qualified name, `a` of a plain one; empty for anything else. */
function writtenName(node: object): string {
  if ('type' in node && node.type === 'Identifier' && 'name' in node) return String(node.name)
  if (!('left' in node) || !('right' in node)) return ''
  return `${writtenName(Object(node.left))}.${writtenName(Object(node.right))}`
}

function nameOf(node: { readonly type: string; readonly name?: string; readonly value?: unknown }): string {
  return node.name ?? String(node.value)
}

/** The source path of a module named in another; undefined for a package. */
function moduleNamed(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : undefined
}
