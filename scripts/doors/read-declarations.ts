import { posix } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

/** A name in one of our modules; `module` is its source path from the root of the repository. */
export interface Place {
  readonly module: string
  readonly name: string
}

/** The content of one declaration file: its exports, and the names that its types use. */
export interface Declarations {
  /** Exported names with their declarations; a name of another module may be re-exported there. */
  readonly exports: ReadonlyMap<string, Place>
  /** Modules whose exports are all re-exported. */
  readonly passedOn: readonly string[]
  /** Declared names with the names that their types use, without those of packages and of the platform. */
  readonly declared: ReadonlyMap<string, readonly Place[]>
}

type Program = ReturnType<typeof parseSync>['program']
type Statement = Program['body'][number]

/** Reads the compiler's declarations of a module; `module` is the path of its source. */
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

/** Returns the local names with their origins; the name `*` is the whole module. */
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

/** Returns the names that a statement declares, each with its statement. */
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

/** Returns the names that a type uses, as written: `Json`, `run.RunInput`, or one of `import('./json.ts')`. */
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

/** Returns `a.b` for a qualified name, `a` for a plain one, and an empty text for anything else. */
function writtenName(node: object): string {
  if ('type' in node && node.type === 'Identifier' && 'name' in node) return String(node.name)
  if (!('left' in node) || !('right' in node)) return ''
  return `${writtenName(Object(node.left))}.${writtenName(Object(node.right))}`
}

function nameOf(node: { readonly type: string; readonly name?: string; readonly value?: unknown }): string {
  return node.name ?? String(node.value)
}

/** Returns the source path of an imported module, or undefined for a package. */
function moduleNamed(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : undefined
}
