import { parseSync, Visitor } from 'oxc-parser'

/** One reference from a module to another. */
export interface Import {
  /** Null if the specifier is not a literal and cannot be judged. */
  readonly specifier: string | null
  /** False if the compiler drops the import, so that it loads nothing. */
  readonly runs: boolean
  readonly line: number
}

/** The imports of a module, and whether it only re-exports. */
export interface Module {
  readonly imports: readonly Import[]
  readonly onlyReExports: boolean
}

const read = new Map<string, Module>()

/** Returns every import of a module: static, dynamic, type-only, re-exported, inline in a type, and `require`. */
export function readImports(path: string, text: string): Module {
  const known = read.get(`${path}\n${text}`) ?? parseImports(path, text)
  read.set(`${path}\n${text}`, known)
  return known
}

function parseImports(path: string, text: string): Module {
  const { program, errors } = parseSync(path, text, { sourceType: 'module' })
  const [error] = errors
  if (error !== undefined) throw new Error(`${path} cannot be parsed: ${error.message}`)
  const imports: Import[] = []
  const found = (specifier: string | null, runs: boolean, { start }: { start: number }) => {
    imports.push({ specifier, runs, line: text.slice(0, start).split('\n').length })
  }
  new Visitor({
    ImportDeclaration: (node) => found(node.source.value, node.importKind !== 'type', node),
    ExportAllDeclaration: (node) => found(node.source.value, node.exportKind !== 'type', node),
    ExportNamedDeclaration: (node) => {
      if (node.source) found(node.source.value, node.exportKind !== 'type', node)
    },
    ImportExpression: (node) => found(literal(node.source), true, node),
    TSImportType: (node) => found(literal(node.source), false, node),
    TSExternalModuleReference: (node) => found(literal(node.expression), true, node),
    Identifier: (node) => {
      if (/^(require|createRequire|getBuiltinModule)$/.test(node.name)) found(null, true, node)
    },
  }).visit(program)
  const onlyReExports = program.body.every(
    (node) => node.type === 'ExportAllDeclaration' || (node.type === 'ExportNamedDeclaration' && node.source !== null),
  )
  return { imports, onlyReExports }
}

function literal(node: { readonly type: string; readonly value?: unknown }): string | null {
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : null
}
