import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildPackage } from '../build/build-package.ts'
import { runCommand } from './run-command.ts'

/**
 * Builds and packs outside the checkout, whose `dist` is not changed, and installs the tarball with its production
 * dependencies in a new project. Returns the project's folder.
 */
export async function installPacked(folder: string): Promise<string> {
  const packed = join(folder, 'packed')
  const project = join(folder, 'project')
  for (const made of [packed, project]) mkdirSync(made)
  await buildPackage(join(packed, 'dist'))
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly files: readonly string[] }
  for (const path of [
    'package.json',
    'README.md',
    'LICENSE',
    ...files.filter((name) => name !== 'dist' && !name.startsWith('!')),
  ]) {
    cpSync(path, join(packed, path), { recursive: true })
  }
  const output = runCommand('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], packed)
  const [tarball] = JSON.parse(output) as readonly { readonly filename: string }[]
  if (tarball === undefined) throw new Error('npm pack made no tarball.')
  writeFileSync(join(project, 'package.json'), '{ "name": "project", "private": true, "type": "module" }\n')
  const quiet = ['--prefer-offline', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund']
  runCommand('npm', ['install', join(folder, tarball.filename), ...quiet], project)
  return project
}
