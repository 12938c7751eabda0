import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A code block of a page as a separate program. */
export interface Snippet {
  /** The page of the block. */
  readonly page: string
  /** The number of its first line in the page, from 1. */
  readonly line: number
  /** The code, preceded by the code of the blocks that it continues. */
  readonly code: string
  /** True if its first line is `// run`. */
  readonly runs: boolean
  /** The file name in its first line, e.g. `// hello.mts`; other blocks import it by that name. */
  readonly file?: string
}

/**
 * Returns the `ts` blocks of a page. A block whose first line is `// run` is executed; one whose first line is `//
 * continues` is joined to the block before it; one whose first line is `// hello.mts` is that file.
 */
export function readSnippets(page: string, markdown: string): readonly Snippet[] {
  const snippets: Snippet[] = []
  for (const match of markdown.matchAll(/^```ts\n([^]*?)^```$/gm)) {
    const [, code = ''] = match
    const before = code.startsWith('// continues') ? (snippets.at(-1)?.code ?? '') : ''
    const line = markdown.slice(0, match.index).split('\n').length + 1
    const [, file] = /^\/\/ ([\w-]+\.mts)\n/.exec(code) ?? []
    const runs = (before || code).startsWith('// run')
    snippets.push({ page, line, code: `${before}${code}`, runs, ...(file === undefined ? {} : { file }) })
  }
  return snippets
}

/** Type-checks every snippet against the sources, executes the marked ones, and returns the problems as text. */
export function checkSnippets(snippets: readonly Snippet[], packageJson: string): readonly string[] {
  if (snippets.length === 0) return []
  mkdirSync('.statewright', { recursive: true })
  const folder = mkdtempSync(join('.statewright', 'snippets-'))
  try {
    const paths = subpaths(packageJson)
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(compilerOptions(paths)))
    writeFileSync(join(folder, 'resolve.mjs'), resolver(paths))
    for (const [index, snippet] of snippets.entries()) {
      const problem = twice(snippet, snippets.slice(0, index))
      if (problem !== '') return [problem]
      writeFileSync(join(folder, fileOf(snippet, index)), `${snippet.code}\nexport {}\n`)
    }
    const types = run('node_modules/.bin/tsc', ['-p', folder, '--pretty', 'false'])
    if (types !== '') return types.split('\n').map((line) => located(line, snippets))
    return runMarked(snippets, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Executes the marked snippets one after another in one process, which says which one failed. */
function runMarked(snippets: readonly Snippet[], folder: string): readonly string[] {
  const marked = snippets.flatMap((snippet, index) =>
    snippet.runs ? [[fileOf(snippet, index), `${snippet.page}:${snippet.line}`] as const] : [],
  )
  writeFileSync(join(folder, 'run-marked.mjs'), runner(marked))
  const program = join(folder, 'run-marked.mjs')
  const problem = run(process.execPath, ['--import', `./${join(folder, 'resolve.mjs')}`, program])
  if (problem === '') return []
  const [, place = 'a block'] = /^@(\S+:\d+)$/m.exec(problem) ?? []
  return [`${place} does not run: ${problem}`]
}

/** Returns a program that imports each file; where the process fails or ends, a line says at which place. */
function runner(marked: readonly (readonly [file: string, place: string])[]): string {
  return `let place
process.on('exit', (code) => {
  if (place === undefined) return
  process.exitCode = code || 1
  console.error('@' + place)
})
for (const [file, at] of ${JSON.stringify(marked)}) {
  place = at
  await import('./' + file)
  if (process.exitCode) process.exit()
}
place = undefined
`
}

/** Returns the output of a failed command; empty if it succeeded. */
function run(command: string, parameters: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, parameters, { encoding: 'utf8', timeout: 240_000 })
  if (status === 0) return ''
  return error?.message ?? (`${stdout}${stderr}`.trim() || `${command} ended with ${status}`)
}

/** Returns the source file of each public subpath: `statewright/testing` is `src/testing/index.ts`. */
export function subpaths(packageJson: string): Readonly<Record<string, string>> {
  const { exports } = JSON.parse(packageJson) as { exports: Record<string, string | { default: string }> }
  const sources: Record<string, string> = {}
  for (const [subpath, target] of Object.entries(exports)) {
    if (typeof target === 'string') continue
    const source = target.default.replace('./dist/', '').replace(/\.js$/, '.ts')
    sources[`statewright${subpath.slice(1)}`] = source
  }
  return sources
}

function compilerOptions(paths: Readonly<Record<string, string>>) {
  const relative = Object.entries(paths).map(([name, source]) => [name, [`../../${source}`]])
  return {
    extends: '../../tsconfig.json',
    compilerOptions: { paths: Object.fromEntries(relative), noUnusedLocals: false },
    include: ['*.ts', '*.mts'],
  }
}

/** Returns a module hook that lets Node resolve the public names to the package's own sources. */
function resolver(paths: Readonly<Record<string, string>>): string {
  const urls = Object.entries(paths).map(([name, source]) => [name, new URL(`../../${source}`, import.meta.url).href])
  return `import { registerHooks } from 'node:module'
const urls = new Map(${JSON.stringify(urls)})
registerHooks({
  resolve: (name, context, next) => urls.has(name) ? { url: urls.get(name), shortCircuit: true } : next(name, context),
})
`
}

function fileOf({ file }: Snippet, index: number): string {
  return file ?? `snippet-${index}.ts`
}

/** Returns the problem if another block is the same file. */
function twice({ page, line, file }: Snippet, before: readonly Snippet[]): string {
  const other = file === undefined ? undefined : before.find((snippet) => snippet.file === file)
  return other === undefined ? '' : `${page}:${line} is ${file} once more; ${other.page}:${other.line} is that file`
}

/** Rewrites a compiler message about a snippet to the snippet's page. */
function located(message: string, snippets: readonly Snippet[]): string {
  const [all, file, line = ''] = /^(?:.*\/)?([\w-]+\.m?ts)\((\d+),\d+\)/.exec(message) ?? []
  const snippet = snippets.find((one, index) => fileOf(one, index) === file)
  if (all === undefined || snippet === undefined) return message
  return `${snippet.page}, block at line ${snippet.line}, its line ${line}${message.slice(all.length)}`
}

/** Reads the snippets of pages. */
export function readPages(paths: readonly string[]): readonly Snippet[] {
  return paths.flatMap((path) => readSnippets(path, readFileSync(path, 'utf8')))
}
