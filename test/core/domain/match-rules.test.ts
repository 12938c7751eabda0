import { expect, test } from 'vitest'
import type { Json } from '../../../src/core/domain/text/json.ts'
import { matchRules, plainPath, type RuleFields } from '../../../src/core/domain/match-rules.ts'
import { parseRule, type RuleEffect, type RuleLists } from '../../../src/core/domain/permission-rule.ts'

/** A tool whose paths are taken from a root of its own. */
const fields: RuleFields = { path: (path) => plainPath(path), command: 'command' }

function said(lists: RuleLists, args: Json, toolName = 'act', own: RuleFields = fields) {
  const rules = (['deny', 'allow', 'ask'] as const).flatMap((effect) =>
    (lists[effect] ?? []).map((text) => parseRule(effect, text)),
  )
  return matchRules(rules, { toolName, arguments: args, fields: own })
}

const effectOf = async (...given: Parameters<typeof said>) => (await said(...given))?.effect

test.each<[string, Json, RuleEffect | undefined]>([
  ['src/a', { path: 'src/a' }, 'allow'],
  ['./src/a', { path: './src/a' }, 'allow'],
  ['a way out', { path: 'src/../secrets/x' }, undefined],
  ['a way out and back', { path: 'src/../src/a' }, 'allow'],
  ['elsewhere', { path: '/etc/passwd' }, undefined],
  ['no path', {}, undefined],
  ['a list', { path: ['src/a', 'src/b'] }, 'allow'],
  ['a list with another', { path: ['src/a', 'b'] }, undefined],
  ['an empty list', { path: [] }, undefined],
  ['an object', { path: { toString: 'src/a' } }, undefined],
])('PERM-05 a rule that allows src/** says %s', async (_, args, expected) => {
  expect(await effectOf({ allow: ['act(path ~ "src/**")'] }, args)).toBe(expected)
})

test.each(['secrets/x', './secrets/x', 'src/../secrets/x', 'secrets//x', 'secrets/.env', './/secrets/./a/../x'])(
  'PERM-05 a rule that denies secrets/** denies %s',
  async (path) => {
    const lists = { deny: ['act(path ~ "secrets/**")'], allow: ['act'] }
    expect(await effectOf(lists, { path })).toBe('deny')
    expect(await effectOf(lists, { path: ['src/a', path] })).toBe('deny')
    expect(await effectOf(lists, { path }, 'act', {})).toBe('deny')
  },
)

test('PERM-05 treats dot files as files, and never allows a path with ".." that the tool does not resolve', async () => {
  expect(await effectOf({ deny: ['act(path ~ "**/.env")'] }, { path: '.env' })).toBe('deny')
  expect(await effectOf({ deny: ['act(path ~ "*")'] }, { path: '.env' })).toBe('deny')
  const allow = { allow: ['act(path ~ "src/**")'] }
  expect(await effectOf(allow, { path: 'src/x/../a' }, 'act', {})).toBeUndefined()
  expect(await effectOf(allow, { path: 'src/a' }, 'act', {})).toBe('allow')
})

test.each<[string, RuleEffect | undefined]>([
  ['npm install', 'allow'],
  ['npm run a/b', 'allow'],
  ["npm   'install'", 'allow'],
  ['npm x && npm y | npm z; npm a\nnpm b & npm c || npm d', 'allow'],
  ['npm x 2>&1', 'allow'],
  ['npm x >/dev/null 2>&1', 'allow'],
  ['npm x; rm -rf .', undefined],
  ['npm x\nrm -rf .', undefined],
  ['npm x | sh', 'ask'],
  ['npm x & rm -rf .', undefined],
  ['npm $(rm -rf .)', undefined],
  ['npm "$(rm -rf .)"', undefined],
  ['npm `rm -rf .`', undefined],
  ['npm "`rm -rf .`"', undefined],
  ['npm "x; rm -rf ."', 'allow'],
  ['npm x > .git/hooks/pre-commit', 'ask'],
  ['npm x < /etc/passwd', 'ask'],
  ['npm <(rm x)', 'ask'],
  ['npm x <<EOF\nEOF', 'ask'],
  ['(npm x)', 'ask'],
  ['if npm x; then npm y; fi', 'ask'],
  ['npm "x', 'ask'],
  ['npm ${x:-$(rm .)}', 'ask'],
  ["npm $'x'", 'ask'],
  ['PATH=. npm x', undefined],
  ['./npm x', undefined],
  ['$npm x', 'ask'],
  ['env npm x', 'ask'],
  ['eval npm x', 'ask'],
  ['np\\m x', 'allow'],
  ['npm() { rm; }; npm x', 'ask'],
  ['npm $(echo # )\nrm -rf .)', 'ask'],
  ['', 'ask'],
  ['x'.repeat(20_001), 'ask'],
])('PERM-05 judges %j under a rule that allows npm', async (command, expected) => {
  expect(await effectOf({ allow: ['act(command ~ "npm *")'] }, { command })).toBe(expected)
})

test.each<[string, RuleEffect]>([
  ['rm -rf .', 'deny'],
  ['npm x; rm -rf .', 'deny'],
  ['npm x && /bin/rm -rf .', 'deny'],
  ["'r'm -rf .", 'deny'],
  ['r\\m -rf .', 'deny'],
  ['A=1 rm -rf .', 'deny'],
  ['npm $(npm `rm -rf .`)', 'ask'],
  ['npm $(rm -rf .)', 'deny'],
  ['$(echo rm) -rf .', 'ask'],
  ['sh -c "rm -rf ."', 'ask'],
  ['X=rm; $X -rf .', 'ask'],
  ['/bin/r? -rf .', 'ask'],
  ['PATH=/tmp; npm x', 'ask'],
  ['sudo rm -rf .', 'ask'],
  ['find . -delete', 'ask'],
  ['npm x', 'allow'],
])('PERM-05 judges %j under a rule that denies rm beside one that allows everything', async (command, expected) => {
  expect(await effectOf({ deny: ['act(command ~ "rm *")'], allow: ['act'] }, { command })).toBe(expected)
})

test('PERM-05 several rules together may allow the commands of one line', async () => {
  const allow = ['act(command ~ "npm *")', 'act(command ~ "git status")']
  expect(await effectOf({ allow }, { command: 'npm x && git status' })).toBe('allow')
  expect(await effectOf({ allow }, { command: 'npm x && git push' })).toBeUndefined()
  expect(await effectOf({ allow, ask: ['act(command ~ "git *")'] }, { command: 'npm x && git push' })).toBe('ask')
})

test.each<[string, Json, boolean]>([
  ['act(n = 5)', { n: 5 }, true],
  ['act(n = 5)', { n: 6 }, false],
  ['act(n != 5)', { n: 6 }, true],
  ['act(n != 5)', {}, false],
  ['act(n !~ "5*")', {}, false],
  ['act(n !~ "5*")', { n: null }, true],
  ['act(a.b = true)', { a: { b: true } }, true],
  ['act(a.b = "x")', { a: [{ b: 'x' }, { b: 'x' }] }, true],
  ['act(constructor.name = "Object")', {}, false],
  ['act(n ~ /^[0-9]+$/)', { n: '12' }, true],
  ['act(n !~ /^[0-9]+$/i)', { n: 'a' }, true],
  ['act(n != /x/)', { n: 'ax' }, false],
  ['act(n = 1, m = 2)', { n: 1, m: 2 }, true],
  ['act(n = 1, m = 2)', { n: 1 }, false],
  ['act(t = "a, \\"b\\")")', { t: 'a, "b")' }, true],
  ['a*', {}, true],
  ['b*', {}, false],
  ['/^(act|do)$/', {}, true],
  ['Act', {}, false],
])('PERM-05 the rule %s matches %j: %s', async (rule, args, holds) => {
  for (const effect of ['deny', 'allow', 'ask'] as const) {
    expect(await effectOf({ [effect]: [rule] }, args)).toBe(holds ? effect : undefined)
  }
})

test('PERM-05 deny beats allow, allow beats ask, and the more specific rule is named', async () => {
  const all = { deny: ['act(n = 1)'], allow: ['act(n ~ "*")'], ask: ['act'] }
  expect(await effectOf(all, { n: 1 })).toBe('deny')
  expect(await effectOf(all, { n: 2 })).toBe('allow')
  expect(await effectOf(all, {})).toBe('ask')
  const rules = ['*', 'act', 'act(n = 1)', '/act/', 'act(n = 1, m = 2)']
  expect((await said({ ask: rules }, { n: 1 }))?.rule.text).toBe('act(n = 1)')
  expect((await said({ ask: rules }, {}))?.rule.text).toBe('act')
})

test('PERM-05 asks about values that are too long to check, and allows none of them', async () => {
  const long = 'x'.repeat(1_000_000)
  expect(await effectOf({ deny: ['act(t ~ "secret*")'], allow: ['act'] }, { t: long })).toBe('ask')
  expect(await effectOf({ deny: ['act(t ~ /^secret/)'], allow: ['act'] }, { t: long })).toBe('ask')
  expect(await effectOf({ allow: ['act(t ~ "x*")'] }, { t: long })).toBe('ask')
  expect(await effectOf({ deny: ['act(t = "secret")'], allow: ['act'] }, { t: long })).toBe('allow')
  const many = Array.from({ length: 1_001 }, () => 'a')
  expect(await effectOf({ deny: ['act(t = "secret")'], allow: ['act'] }, { t: many })).toBe('ask')
})

test('PERM-05 checks the first of many values up to the work limit, and denies if a rule denies one of them', async () => {
  const each = 'x'.repeat(20_000)
  const values = (first: string) => [first, ...Array.from({ length: 100 }, () => each)]
  const lists = { deny: ['act(t ~ "secret*")'], allow: ['act(t ~ "*x*")'] }
  expect(await effectOf(lists, { t: values('secret') })).toBe('deny')
  expect(await effectOf(lists, { t: values('x') })).toBe('ask')
  expect(await effectOf({ allow: lists.allow }, { t: values('y') })).toBeUndefined()
})

test('PERM-05 matches an ambiguous expression in bounded time even on its worst text, which a model could write', async () => {
  const worst = `${'a'.repeat(20_000)}!`
  const deny = ['act(t ~ /^(a+)+$/)', 'act(t ~ /^(a|aa)*$/)', 'act(t ~ /^a*a*a*a*a*$/)', '/^(a+)+$/']
  expect(await effectOf({ deny, allow: ['act'] }, { t: worst })).toBe('allow')
  expect(await effectOf({ deny, allow: ['*'] }, {}, worst)).toBeUndefined()
})

test('PERM-05 checks a field next to a command line once, with any number of commands in the line', async () => {
  let looked = 0
  const rule = parseRule('allow', 'act(command ~ "npm *", note ~ "x*")')
  const note = rule.conditions[1]
  if (note === undefined) throw new Error('The rule has two conditions.')
  const watched = { ...rule, conditions: [rule.conditions[0] ?? note, { ...note, fits: () => ++looked > 0 }] }
  const line = Array.from({ length: 500 }, () => 'npm x').join(';')
  const call = { toolName: 'act', arguments: { command: line, note: 'x' }, fields }
  expect([(await matchRules([watched], call))?.effect, looked]).toEqual(['allow', 1])
})

test.each([
  '',
  '(a = 1)',
  'act(',
  'act()',
  'act(a)',
  'act(a = )',
  'act(a ~ "x)',
  'act(a ~ "[")',
  'act(a == "x")',
  'act(a = 1) more',
  'act(a = 1,)',
  'act(a > 1)',
  '/[/',
  '/(/',
  'act(a ~ /(?=b)/)',
  'act(a ~ /(b)\\1/)',
  'act(a ~ /b{2000}/)',
  'act(a ~ /(/)',
  'x'.repeat(1_001),
])('PERM-05 refuses the rule %j and states what was expected', (text) => {
  expect(() => parseRule('deny', text)).toThrow(/^The deny rule ".*" cannot be read: ./s)
})
