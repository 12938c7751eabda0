import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildPackage } from '../build/build-package.ts'
import { runCommand } from './run-command.ts'

/** Builds outside the checkout, whose `dist` is not changed. Returns a folder in `folder` with all that is packed. */
export async function buildCopy(folder: string): Promise<string> {
  const packed = join(folder, 'packed')
  mkdirSync(packed)
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
  return packed
}

/** Packs a copy, and installs the tarball with its production dependencies in a new project. Returns the project's folder. */
export async function installPacked(folder: string): Promise<string> {
  const packed = await buildCopy(folder)
  const project = join(folder, 'project')
  mkdirSync(project)
  const output = runCommand('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], packed)
  const [tarball] = JSON.parse(output) as readonly { readonly filename: string }[]
  if (tarball === undefined) throw new Error('npm pack made no tarball.')
  writeFileSync(join(project, 'package.json'), '{ "name": "project", "private": true, "type": "module" }\n')
  const quiet = ['--prefer-offline', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund']
  runCommand('npm', ['install', join(folder, tarball.filename), ...quiet], project)
  return project
}
