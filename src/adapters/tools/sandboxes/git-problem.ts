import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { isInside } from '../confine-path.ts'

const fileLimit = 1_000_000

/**
 * Returns why git outside of a box would obey files that commands in the box can change, or undefined if it would not.
 */
export function gitProblem(root: string, git: string): string | undefined {
  const kind = kindOf(git)
  if (kind === 'none') return undefined
  if (kind === 'file') return pointerProblem(root, git)
  if (kind !== 'folder') return `".git" in the root is ${kind === 'link' ? 'a link' : 'no folder'}`
  const hooks = kindOf(join(git, 'hooks'))
  if (hooks !== 'none' && hooks !== 'folder') return '".git/hooks" in the root is not a folder'
  if (kindOf(join(git, 'commondir')) !== 'none') return '".git/commondir" in the root names another folder of git'
  return configsProblem(root, git, '.git/')
}

/** A file in place of `.git` names the real folder; a command cannot reach one outside of the root. */
function pointerProblem(root: string, git: string): string | undefined {
  const folder = targetOf(root, readText(git) ?? '', /^gitdir: ([^\n]+)\n?$/)
  if (folder === undefined) return '".git" in the root is a file that names no folder'
  if (isWithin(root, folder)) return '".git" in the root is a file that names a folder of the root'
  const commonFile = join(folder, 'commondir')
  if (kindOf(commonFile) === 'none') return configsProblem(root, folder, `${folder}/`)
  const common = targetOf(folder, readText(commonFile) ?? '', /^([^\n]+)\n?$/)
  if (common === undefined || isWithin(root, common)) return `"${commonFile}" names a folder of the root, or none`
  return configsProblem(root, folder, `${folder}/`) ?? configsProblem(root, common, `${common}/`)
}

function targetOf(from: string, text: string, shape: RegExp): string | undefined {
  const path = shape.exec(text)?.[1]
  return path === undefined ? undefined : resolve(from, path)
}

function configsProblem(root: string, folder: string, shown: string): string | undefined {
  for (const name of ['config', 'config.worktree']) {
    const path = join(folder, name)
    const kind = kindOf(path)
    if (kind === 'none') continue
    if (kind !== 'file') return `"${shown}${name}" is ${kind === 'link' ? 'a link' : 'no file'}`
    const text = readText(path)
    if (text === undefined) return `"${shown}${name}" cannot be read, or has more than ${fileLimit} bytes`
    if (includesOf(text).some((one) => one === undefined || isWithin(root, one)))
      return `"${shown}${name}" includes a file of the root, or one that cannot be told from it`
  }
  return undefined
}

/** Absolute paths of the files that a configuration includes; undefined for each path in any other form. */
function includesOf(text: string): readonly (string | undefined)[] {
  if (!/\[\s*include/i.test(text)) return []
  return [...text.matchAll(/(?:^|\])[ \t]*path\b([^\n]*)/gim)].map(([, value = '']) => {
    const path = /^=[ \t]*"?(~?\/[^"\\#;]*)"?$/.exec(value.trim())?.[1]
    return path?.startsWith('~') === true ? join(homedir(), path.slice(1)) : path
  })
}

function isWithin(root: string, path: string): boolean {
  return isInside(root, path) || isInside(root, followed(path))
}

function followed(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const outer = dirname(path)
    return outer === path ? path : join(followed(outer), basename(path))
  }
}

function kindOf(path: string): 'none' | 'file' | 'folder' | 'link' | 'other' {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return 'none'
  if (stats.isSymbolicLink()) return 'link'
  return stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other'
}

function readText(path: string): string | undefined {
  try {
    const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
    const descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      const { size } = fstatSync(descriptor)
      const bytes = new Uint8Array(Math.min(size, fileLimit) + 1)
      const count = fstatSync(descriptor).isFile() ? readSync(descriptor, bytes) : bytes.length
      return count === bytes.length ? undefined : new TextDecoder().decode(bytes.subarray(0, count))
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return undefined
  }
}
