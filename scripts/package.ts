import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { buildCopy } from './budget/install-packed.ts'
import { measureSizes, sizeProblems } from './budget/measure-sizes.ts'
import { runCommand as run } from './budget/run-command.ts'
import { subpaths } from './docs/snippets.ts'
import { agentProgram, doorsProgram } from './package/programs.ts'
import { runInBrowser } from './package/run-in-browser.ts'
import { runPrograms, writePrograms } from './package/run-readme.ts'
import { runTutorial } from './package/run-tutorial.ts'
import { runStudio } from './package/run-studio.ts'

const bin = resolve('node_modules/.bin')

/**
 * Builds and packs a copy, with examples that import public names, as `prepack` does; rejects a tarball without a promised
 * file or with an unneeded one.
 */
async function pack(folder: string): Promise<string> {
  const copy = await buildCopy(folder)
  run(join(bin, 'publint'), ['--strict'], copy)
  run(process.execPath, [resolve('scripts/examples.ts'), '--public'], copy)
  const output = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], copy)
  const [packed] = JSON.parse(output) as readonly {
    filename: string
    size: number
    files: readonly { path: string }[]
  }[]
  if (packed === undefined) throw new Error('npm pack made no tarball')
  const paths = packed.files.map(({ path }) => path)
  const promised = readFileSync('package.json', 'utf8').matchAll(/"\.?\/?((?:dist|bin)\/[^"]+\.\w+)"/g)
  const entries = [...promised].map(([, path]) => path ?? '')
  const absent = entries.filter((path) => !paths.includes(path))
  if (absent.length > 0) throw new Error(`package.json promises files that the package lacks: ${absent.join(', ')}`)
  const alien = paths.filter(
    (path) =>
      !/^(dist\/(src|machines|shared|platform)\/|bin\/|docs\/|examples\/|package\.json$|[A-Z]+(\.md)?$)/.test(path),
  )
  if (alien.length > 0) throw new Error(`the package holds files that nobody needs: ${alien.join(', ')}`)
  const known = new Set([...entries, 'dist/src/apps/cli/main.js', 'dist/src/apps/studio/studio.js'])
  const loose = paths.filter((path) => /^dist\/(src|machines)\/.*\.js$/.test(path) && !known.has(path))
  if (loose.length > 0) throw new Error(`the package holds modules that are in no bundle: ${loose.join(', ')}`)
  console.log(`packed ${paths.length} files, ${Math.round(packed.size / 1024)} kB`)
  return join(folder, packed.filename)
}

/** Some examples that need only the package; the tests run all of them from source, and all are type-checked here. */
const aloneExamples = ['quick-start', 'web-server', 'live-states']

/** Copies the packed examples as a reader would, and runs them. */
function runExamples(folder: string): void {
  cpSync(join(folder, 'node_modules/statewright/examples'), join(folder, 'examples'), { recursive: true })
  for (const name of aloneExamples) run(process.execPath, [`examples/${name}.ts`], folder)
  console.log(`${aloneExamples.length} packed examples ran where they were copied to`)
}

/** Installs the tarball in a new project, runs small programs and those of the README there, and type-checks them. */
async function consume(tarball: string, folder: string): Promise<void> {
  const versions = JSON.parse(readFileSync('package.json', 'utf8')) as { devDependencies: Record<string, string> }
  const typed = [
    '@types/node',
    '@types/json-schema',
    '@ai-sdk/provider',
    '@ag-ui/core',
    'ai',
    'openai',
    '@anthropic-ai/sdk',
    'gpt-tokenizer',
    '@xstate/graph',
  ]
  const peers = typed.map((name) => `${name}@${versions.devDependencies[name]}`)
  writeFileSync(join(folder, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }\n')
  run('npm', ['install', tarball, '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'], folder)
  const overLimit = sizeProblems(await measureSizes(folder, mkdtempSync(join(folder, 'sizes-'))))
  if (overLimit.length > 0) throw new Error(overLimit.join('\n'))
  // Hooks need React, so that entry point alone is not opened without its peer.
  const doors = Object.keys(subpaths(readFileSync('package.json', 'utf8'))).filter((name) => !name.endsWith('/react'))
  writeFileSync(join(folder, 'agent.ts'), agentProgram)
  writeFileSync(join(folder, 'doors.ts'), doorsProgram(doors))
  for (const program of ['agent.ts', 'doors.ts']) console.log(run(process.execPath, [program], folder).trim())
  console.log(run(join(folder, 'node_modules/.bin/statewright'), ['--help'], folder).split('\n')[0])
  console.log(await runStudio(folder))
  console.log(await runInBrowser(folder))
  for (const name of ['plain-xstate.ts', 'page.js']) rmSync(join(folder, name), { force: true })
  writePrograms(folder)
  console.log(await runPrograms(folder))
  runExamples(folder)
  run('npm', ['install', ...peers, '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'], folder)
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(strict))
  run(join(bin, 'tsc'), ['-p', folder])
  console.log(await runTutorial(join(folder, 'tutorial')))
}

/** The compiler options of a careful user; the package's declarations are checked too. */
const strict = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    allowImportingTsExtensions: true,
  },
  include: ['*.ts', '*.mts', 'examples'],
}

const folder = mkdtempSync(join(tmpdir(), 'statewright-package-'))
try {
  const project = join(folder, 'project')
  mkdirSync(project)
  await consume(await pack(folder), project)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
