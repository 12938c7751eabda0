import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildPackage } from '../../scripts/build/build-package.ts'
import { bundleSubjects } from './bundle-subjects.ts'
import { entries } from './subject-table.ts'

const folder = import.meta.dirname
const installed = join(folder, 'node_modules/.package-lock.json')

/** Installs the frameworks where their lock file is newer than what is there, builds the package, and puts it beside them. */
export async function prepare(tell: (progress: string) => void): Promise<void> {
  if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(join(folder, 'package-lock.json')).mtimeMs) {
    tell('installing')
    install()
  }
  tell('building')
  await buildPackage(resolve('dist'))
  const link = join(folder, 'node_modules/statewright')
  rmSync(link, { force: true, recursive: true })
  symlinkSync('../../..', link)
  await bundleSubjects(entries.map(({ name }) => name))
}

function install(): void {
  const parameters = ['ci', '--ignore-scripts', '--no-audit', '--no-fund']
  const { status, stdout, stderr, error } = spawnSync('npm', parameters, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`The frameworks could not be installed: ${error?.message ?? `${stdout}${stderr}`}`)
}
