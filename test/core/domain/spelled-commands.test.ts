import { spawnSync } from 'node:child_process'
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { array, assert, asyncProperty, constantFrom, oneof } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { matchRules } from '../../../src/core/domain/match-rules.ts'
import { parseRule, type RuleEffect, type RuleLists } from '../../../src/core/domain/permission-rule.ts'
import { everyday, writing } from './everyday-lines.ts'
import { spellings } from './spelled-commands.ts'

/** The verdict of the rules on a line; `free` if it would run without a question. */
async function saidOf(lists: RuleLists, command: string): Promise<RuleEffect | 'free'> {
  const rules = (['deny', 'allow', 'ask'] as const).flatMap((effect) =>
    (lists[effect] ?? []).map((text) => parseRule(effect, text)),
  )
  const call = { toolName: 'shell', arguments: { command, folder: '.' }, fields: { command: 'command' as const } }
  return (await matchRules(rules, call))?.effect ?? 'free'
}

const allow = ['shell']

const kinds: readonly (readonly [string, RuleLists])[] = [
  ['a glob', { deny: ['shell(command ~ "rm *")'], allow }],
  ['a glob without a blank', { deny: ['shell(command ~ "rm*")'], allow }],
  ['a glob with braces and a text', { deny: ['shell(command ~ "{rm,dd} *")', 'shell(command = "rm")'], allow }],
  ['an expression', { deny: ['shell(command ~ /^(\\S*\\/)?rm( |$)/)'], allow }],
  ['a glob beside another condition', { deny: ['shell(command ~ "rm *", folder !~ "scratch/**")'], allow }],
  ['a rule that asks', { ask: ['shell(command ~ "rm *")'] }],
]

describe.each(kinds)('PERM-05 rm under %s', (_, lists) => {
  test.each(spellings)('PERM-05 does not run %j without a question', async (line) => {
    expect(await saidOf(lists, line)).toMatch(/^(?:deny|ask)$/)
  })

  test.each(everyday)('PERM-05 allows %j without a question', async (line) => {
    expect(await saidOf(lists, line)).toMatch(/^(?:allow|free)$/)
  })
})

test.each(writing)('PERM-05 rules that allow echo, printf and test do not allow %j', async (line) => {
  const rules = ['echo *', 'printf *', 'test *'].map((glob) => `shell(command ~ "${glob}")`)
  expect(await saidOf({ allow: rules }, line)).toMatch(/^(?:ask|free)$/)
})

test.each([
  ['echo "the rm command"', 'ask'],
  ['git rm a.txt', 'ask'],
  ['grep -rn "rm" src', 'ask'],
  ['docker run alpine rm -rf /', 'ask'],
  ['ls /bin/rm', 'ask'],
  ['git log $(git rev-parse HEAD)', 'ask'],
  ['echo "rm.ts"', 'allow'],
] as const)('PERM-05 a rule that denies rm asks about a word that could be rm: %j', async (line, said) => {
  expect(await saidOf({ deny: ['shell(command ~ "rm *")'], allow }, line)).toBe(said)
})

test.each([
  ['rm -rf *', 'rm -r{f,} x'],
  ['rm -rf *', 'rm -"$X"rf x'],
  ['git push --force*', 'git push $X'],
  ['git push --force*', 'git push --f?rce'],
  ['git push --force*', 'git push $(cat flag)'],
])('PERM-05 a rule that denies %s asks about %j', async (glob, line) => {
  expect(await saidOf({ deny: [`shell(command ~ "${glob}")`], allow }, line)).toBe('ask')
  expect(await saidOf({ deny: [`shell(command ~ "${glob}")`], allow }, 'git push origin $BRANCH')).toBe('allow')
})

test('PERM-05 checks lines with many words, quotes and gaps up to the work limit, and asks beyond it', async () => {
  const deny = ['shell(command ~ "rm *")', 'shell(command ~ /^(a|aa)*rm$/)']
  for (const piece of ['a$X', '{a,', '[a]', '"', "\\'", '/', 'a ', '$', '${', '*', '-ax ', '$X$Y ', '\\\n'])
    for (const quote of ['', "'", '"'])
      expect(await saidOf({ deny, allow }, `ls ${quote}${piece.repeat(19_000 / piece.length)}${quote}`)).toMatch(
        /allow|ask/,
      )
})

const isMissing = spawnSync('bash', ['-c', 'exit 7']).status !== 7

/** Pieces of lines without a slash, so that a line reaches no file outside its folder and no program but the ones in it. */
const pieces = constantFrom(
  ...["'", '"', '\\', '\\\n', '$@', '${Z}', '$Z', '$IFS', '$(', ')', '`', '{', '}', ',', '{r,}', '[m]', '?', '*', '#'],
  ...[
    ' ',
    ' ',
    '\n',
    '\t',
    ';',
    '|',
    '&',
    '&&',
    '||',
    '>&1',
    '2>&1',
    '=',
    '!',
    '(',
    '$(true)',
    '-',
    '1',
    '%',
    '~',
    ':',
  ],
  ...[
    'rm',
    'r',
    'm',
    'rm x',
    'echo ',
    'true ',
    'runs ',
    'reads ',
    'eval ',
    'A=1 ',
    'time ',
    '"$(',
    ')"',
    '$_',
    '<<<',
    '$',
  ],
)
const seeds = constantFrom('rm x', 'runs rm x', 'reads "rm x"', 'echo; rm x', 'A=1 rm x', "runs 'rm' x", 'true $(rm x)')
const line = array(oneof({ weight: 1, arbitrary: seeds }, { weight: 2, arbitrary: pieces }), {
  minLength: 1,
  maxLength: 8,
})

test.skipIf(isMissing)(
  'PERM-05 no line that passes a rule denying rm runs rm in Bash',
  async () => {
    const folder = await temporaryFolder()
    const bin = join(folder, 'bin')
    await mkdir(bin)
    const programs = { rm: 'echo > "$MARK"', runs: 'exec "$@"', reads: 'bash -c "$*"', true: 'exit 0' }
    for (const [name, body] of Object.entries(programs)) {
      await writeFile(join(bin, name), `#!${process.env['SHELL_FOR_TESTS'] ?? '/bin/bash'}\n${body}\n`)
      await chmod(join(bin, name), 0o755)
    }
    let ran = 0
    await assert(
      asyncProperty(line, async (drawn) => {
        const command = drawn.join('')
        const lists = { deny: ['shell(command ~ "rm *")', 'shell(command = "rm")'], allow }
        if ((await saidOf(lists, command)) !== 'allow') return
        const work = join(folder, 'work')
        await mkdir(work)
        spawnSync('/bin/bash', ['-c', command], {
          cwd: work,
          env: { PATH: bin, MARK: join(folder, 'mark') },
          input: '',
          timeout: 5_000,
          killSignal: 'SIGKILL',
        })
        ran++
        await rm(work, { recursive: true, force: true })
        expect([command, await readdir(folder)]).toEqual([command, ['bin']])
      }),
      { numRuns: 400 },
    )
    expect(ran).toBeGreaterThan(0)
  },
  60_000,
)
