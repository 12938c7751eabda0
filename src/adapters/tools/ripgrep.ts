import { execFile } from 'node:child_process'
import type { HeldFolder } from './held-folder.ts'
import type { LineQuery } from './line-matcher.ts'
import { ripgrepPattern } from './ripgrep-pattern.ts'

/**
 * Returns the program of the package `@vscode/ripgrep` if it is installed, or else `rg` from the path, if it is there.
 */
export async function findRipgrep(): Promise<string | undefined> {
  return await (known ??= lookForRipgrep())
}

let known: Promise<string | undefined> | undefined

async function lookForRipgrep(): Promise<string | undefined> {
  try {
    const { rgPath } = await import('@vscode/ripgrep')
    return rgPath
  } catch {
    return (await answerOf('rg', ['--version'], {})).code === 0 ? 'rg' : undefined
  }
}

/** Returns the names of the files that may have a match, or undefined if ripgrep cannot tell. */
export async function filesWorthReading(
  program: string,
  folder: HeldFolder,
  query: LineQuery,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  const pattern = ripgrepPattern(query)
  if (pattern === undefined) return undefined
  const parameters = [
    ...always,
    ...(query.ignoreCase ? ['--ignore-case'] : ['--case-sensitive']),
    '--regexp',
    pattern,
    './',
  ]
  const { code, stdout, stderr } = await answerOf(program, parameters, { cwd: folder.path, signal })
  if (code === undefined || code > 2 || stderr !== '') return undefined
  return new Set(stdout.split('\0').map((name) => name.replace(/^\.\//, '')))
}

/** Hidden and ignored files too, links not followed, bytes as they are. */
const always = [
  ...[
    '--no-config',
    '--no-messages',
    '--files-with-matches',
    '--null',
    '--no-ignore',
    '--hidden',
    '--encoding',
    'none',
  ],
  ...['--max-filesize', '1M', ...['node_modules', '.git', '.statewright'].flatMap((name) => ['--iglob', `!${name}/`])],
]

interface Answer {
  readonly code: number | undefined
  readonly stdout: string
  readonly stderr: string
}

function answerOf(
  program: string,
  parameters: readonly string[],
  options: { cwd?: string; signal?: AbortSignal },
): Promise<Answer> {
  return new Promise((resolve) => {
    execFile(program, [...parameters], { ...options, maxBuffer: 50_000_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : undefined
      resolve({ code, stdout, stderr })
    })
  })
}
