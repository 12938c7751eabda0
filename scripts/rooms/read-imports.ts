import { parseSync, Visitor } from 'oxc-parser'

/** One way in which a module names another. */
export interface Import {
  /** Null where the specifier is not a literal and so cannot be judged. */
  readonly specifier: string | null
  /** False where the compiler drops the import: it can then load nothing. */
  readonly runs: boolean
  readonly line: number
}

/** What a module imports, and whether it does anything besides re-exporting. */
export interface Module {
  readonly imports: readonly Import[]
  readonly onlyReExports: boolean
}

const read = new Map<string, Module>()

/** Reads every import of a module: static, dynamic, type-only, re-exported, inline in a type, `require`. */
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
