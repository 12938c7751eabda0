import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from './run-command.ts'

/**
 * Builds and packs beside the checkout, whose `dist` stays as it is, and installs the tarball with its production
 * dependencies in a project of its own, whose folder it gives.
 */
export function installPacked(folder: string): string {
  const stage = join(folder, 'stage')
  const project = join(folder, 'project')
  for (const made of [stage, project]) mkdirSync(made)
  runCommand('tsc', ['-p', 'tsconfig.build.json', '--outDir', join(stage, 'dist')])
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly files: readonly string[] }
  for (const path of ['package.json', 'README.md', 'LICENSE', ...files.filter((name) => name !== 'dist')]) {
    cpSync(path, join(stage, path), { recursive: true })
  }
  const output = runCommand('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], stage)
  const [packed] = JSON.parse(output) as readonly { readonly filename: string }[]
  if (packed === undefined) throw new Error('npm pack made no tarball.')
  writeFileSync(join(project, 'package.json'), '{ "name": "project", "private": true, "type": "module" }\n')
  const quiet = ['--prefer-offline', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund']
  runCommand('npm', ['install', join(folder, packed.filename), ...quiet], project)
  return project
}
