import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Sandbox } from '../../../src/core/ports/sandbox.ts'
import { bubblewrap, shellTool, unconfined } from '../../../src/adapters/tools/shell.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { callTool, textOf } from './call-tool.ts'

const missing = await bubblewrap().check()
let folder: string
let root: string

beforeEach(async () => {
  folder = await temporaryFolder()
  root = join(folder, 'root')
  await mkdir(root)
  git('init', '--quiet', '--initial-branch=main')
  await writeFile(join(root, 'a'), 'a')
  git('add', 'a')
  git('commit', '--quiet', '--message=first')
})

/** Git as somebody uses it outside of the box, with no configuration but the repository's. */
function git(...parameters: readonly string[]): string {
  const person = ['-c', 'user.name=A', '-c', 'user.email=a@b']
  const env = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  return execFileSync('git', [...person, ...parameters], { cwd: root, env, encoding: 'utf8', stdio: 'pipe' })
}

const run = (command: string, sandbox: Sandbox) => callTool([shellTool({ root, sandbox })], 'shell', { command })

/** A way in which a command makes git run a program outside: what stands there before, what the command does. */
interface Way {
  readonly name: string
  readonly command: string
  readonly prepare?: () => Promise<unknown>
  /** Why the command is not run at all. */
  readonly refusal?: string
}

const monitor = (file: string) => `git config --file ${file} core.fsmonitor "touch $OUT/ran; false"`
const inRoot = (name: string) => join(root, name)

const ways: readonly Way[] = [
  { name: 'a hook', command: `printf '#!/bin/sh\\ntouch %s/ran' $OUT > .git/hooks/pre-commit; chmod +x .git/hooks/*` },
  { name: 'the configuration', command: monitor('.git/config') },
  {
    name: 'commondir',
    command: `cp -r .git evil; ${monitor('evil/config')}; echo ../evil > .git/commondir`,
  },
  {
    name: 'config.worktree',
    command: monitor('.git/config.worktree'),
    prepare: async () => git('config', 'extensions.worktreeConfig', 'true'),
  },
  { name: 'another folder in its place', command: `mv .git old; cp -r old .git; ${monitor('.git/config')}` },
  {
    name: 'a link in its place',
    command: monitor('store/config'),
    prepare: async () => {
      await rename(inRoot('.git'), inRoot('store'))
      await symlink('store', inRoot('.git'))
    },
    refusal: '".git" in the root is a link',
  },
  {
    name: 'a file in its place',
    command: monitor('store/config'),
    prepare: async () => git('init', '--quiet', '--separate-git-dir=store'),
    refusal: '".git" in the root is a file that names a folder of the root',
  },
  {
    name: 'a link in the place of its configuration',
    command: monitor('shared'),
    prepare: async () => {
      await rename(inRoot('.git/config'), inRoot('shared'))
      await symlink('../shared', inRoot('.git/config'))
    },
    refusal: '".git/config" is a link',
  },
  {
    name: 'a file of the root that the configuration includes',
    command: monitor('shared'),
    prepare: async () => git('config', 'include.path', '../shared'),
    refusal: '".git/config" includes a file of the root, or one that cannot be told from it',
  },
]

async function play({ command, prepare }: Way, sandbox: Sandbox) {
  await prepare?.()
  const result = await run(`OUT=${folder}; ${command}`, sandbox)
  await writeFile(inRoot('a'), 'b')
  for (const parameters of [['status'], ['commit', '--all', '--message=second']]) {
    try {
      git(...parameters)
    } catch {
      // The folder may no longer be a repository after the command.
    }
  }
  return { text: textOf(result), isRun: existsSync(join(folder, 'ran')) }
}

test.each(ways)(
  'TOOL-03 git outside the box runs code that an unconfined command left by way of $name',
  async (way) => {
    expect(await play(way, unconfined())).toMatchObject({ isRun: true })
  },
)

describe.skipIf(missing !== undefined)(`in the box${missing === undefined ? '' : `, skipped: ${missing}`}`, () => {
  test.each(ways)(
    'TOOL-03 git outside the box runs no code that a confined command left by way of $name',
    async (way) => {
      const { text, isRun } = await play(way, bubblewrap())
      expect(isRun).toBe(false)
      const { refusal } = way
      const told = `The command was not run: ${refusal}, so that git would run what a command writes.`
      expect(refusal === undefined || text.startsWith(told)).toBe(true)
    },
  )

  test.each<[string, (path: string) => Promise<unknown>, string]>([
    ['names another folder of git', () => writeFile(inRoot('.git/commondir'), '../x'), '".git/commondir" in the root'],
    ['includes by a condition', () => appendConfig('[includeIf "gitdir:/"] path = "../x"'), '".git/config" includes'],
    ['includes in odd letters', () => appendConfig('[a]b=1\n[INCLUDE]PATH=../x'), '".git/config" includes'],
    ['includes over two lines', () => appendConfig('[include]\n path = \\\n../x'), '".git/config" includes'],
    [
      'includes behind much white space',
      () => appendConfig(`[include]\npath = /${' '.repeat(900_000)}#`),
      '".git/config" includes',
    ],
    ['includes by a link', () => linkOutside(), '".git/config" includes'],
    [
      'includes by the configuration of a worktree',
      () => writeFile(inRoot('.git/config.worktree'), '[include]\npath = ../x\n'),
      '".git/config.worktree" includes',
    ],
    [
      'has a long configuration',
      () => appendConfig('#'.repeat(1_000_001)),
      '".git/config" cannot be read, or has more',
    ],
    ['is a file that names nothing', () => fileFor('x'), '".git" in the root is a file that names no folder'],
    [
      'is a file that names a folder that names one of the root',
      () => fileFor(),
      'names a folder of the root, or none',
    ],
  ])('TOOL-03 runs no command if .git %s', async (_what, prepare, refusal) => {
    await prepare(root)
    const result = await run('touch made', bubblewrap())
    expect(textOf(result)).toContain(refusal)
    expect(existsSync(inRoot('made'))).toBe(false)
  })

  test('TOOL-03 runs commands if the configuration includes a file elsewhere, and in a worktree of another folder', async () => {
    await appendConfig(`[include]\n\tpath = ${folder}/mine\n\tpath = ~/mine`)
    expect(textOf(await run('echo done', bubblewrap()))).toBe('done\n')
    const main = root
    root = join(folder, 'tree')
    execFileSync('git', ['worktree', 'add', '--quiet', root], { cwd: main, stdio: 'pipe' })
    expect(textOf(await run('cat a', bubblewrap()))).toBe('a')
  })

  const commit = 'echo b > a; git -c user.name=A -c user.email=a@b commit --all --quiet --message=boxed'

  test('TOOL-03 git can read, and a refused commit names the option that allows it', async () => {
    expect(textOf(await run('git log --format=%s', bubblewrap()))).toBe('first\n')
    const result = await run(commit, bubblewrap())
    expect(textOf(result)).toContain("Tell the user: bubblewrap({ git: 'write' }) allows that.]")
    expect(result.status).toBe('warning')
    expect(git('log', '--format=%s')).toBe('first\n')
  })

  test('TOOL-03 commands commit if that is allowed, and cannot change hooks or configuration', async () => {
    const sandbox = bubblewrap({ git: 'write' })
    expect(textOf(await run(commit, sandbox))).toBe('[No output.]')
    expect(git('log', '--format=%s')).toBe('boxed\nfirst\n')
    const before = await readFile(inRoot('.git/config'), 'utf8')
    await run(`rm -rf .git/hooks; mv .git moved; ${monitor('.git/config')}; touch .git/hooks/x`, sandbox)
    expect(await readFile(inRoot('.git/config'), 'utf8')).toBe(before)
    expect(existsSync(inRoot('.git/hooks/x'))).toBe(false)
  })

  test('TOOL-03 commands that may commit cannot create hooks', async () => {
    await rm(inRoot('.git/hooks'), { recursive: true })
    const hook =
      "mkdir -p .git/hooks; printf '#!/bin/sh\\ntouch %s/ran' $OUT > .git/hooks/pre-commit; chmod +x .git/hooks/*"
    expect(await play({ name: 'a hook', command: hook }, bubblewrap({ git: 'write' }))).toMatchObject({ isRun: false })
  })
})

async function appendConfig(text: string): Promise<void> {
  await writeFile(inRoot('.git/config'), `\n${text}\n`, { flag: 'a' })
}

async function linkOutside(): Promise<void> {
  await symlink(root, join(folder, 'link'))
  await appendConfig(`[include]\npath = ${folder}/link/x`)
}

/** A file in the place of `.git`, with this text, or with the name of a worktree's folder outside. */
async function fileFor(text?: string): Promise<void> {
  const outside = join(folder, 'outside')
  await mkdir(outside)
  await writeFile(join(outside, 'commondir'), inRoot('old'))
  await rename(inRoot('.git'), inRoot('old'))
  await writeFile(inRoot('.git'), text ?? `gitdir: ${outside}\n`)
}
