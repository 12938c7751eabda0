import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { listAllMutants, root } from '../../proof/mutants-source/all-mutants.ts'
import { copyTree, removeTree, type TreeCopy } from '../../proof/mutants-source/copy-tree.ts'
import { equivalents, left, readExplained } from '../../proof/mutants-source/equivalents.ts'
import { Judge } from '../../proof/mutants-source/judge-mutant.ts'
import { listMutants } from '../../proof/mutants-source/list-mutants.ts'
import { rankMutants } from '../../proof/mutants-source/rank-mutants.ts'
import { isEntered } from '../../proof/mutants-source/read-coverage.ts'
import { readRecordedSample } from '../../proof/mutants-source/recorded-sample.ts'
import { holds, reportOn } from '../../proof/mutants-source/report.ts'
import type { Result } from '../../proof/mutants-source/results-file.ts'
import { TestProcess } from '../../proof/mutants-source/test-process.ts'
import { TypeCheck } from '../../proof/mutants-source/type-check.ts'

const gradeText = `import { log } from './log.ts'
export function grade(points: number, { limit = 3 }: { limit?: number } = {}): string {
  if (points < limit && isOpen()) log('low')
  const name: 'a' | 'b' = points > 1 ? 'a' : 'b'
  if (isShut()) return undefined
  return name ?? rank ?? 7
}
`

describe('mutator', () => {
  test('TST-01 lists every mutant of a file, without mutants of types and imports', () => {
    const words = listMutants('grade.ts', gradeText).map(({ operator, id }) => `${operator}: ${id.split(' → ')[1]}`)
    expect(words).toEqual([
      'default: export function grade(points: number, { limit = 3 }: { limit?: number }): string {',
      'default: export function grade(points: number, { limit }: { limit?: number } = {}): string {',
      'literal: export function grade(points: number, { limit = 4 }: { limit?: number } = {}): string {',
      'literal: export function grade(points: number, { limit = (2) }: { limit?: number } = {}): string {',
      "condition: if (!(points < limit && isOpen())) log('low')",
      "logic: if ((points < limit || isOpen())) log('low')",
      "comparison: if (points <= limit && isOpen()) log('low')",
      "comparison: if (points >= limit && isOpen()) log('low')",
      'call dropped: if (points < limit && isOpen()) ;',
      "literal: if (points < limit && isOpen()) log('')",
      "comparison: const name: 'a' | 'b' = points >= 1 ? 'a' : 'b'",
      "comparison: const name: 'a' | 'b' = points <= 1 ? 'a' : 'b'",
      "literal: const name: 'a' | 'b' = points > 2 ? 'a' : 'b'",
      "literal: const name: 'a' | 'b' = points > (0) ? 'a' : 'b'",
      "literal: const name: 'a' | 'b' = points > 1 ? '' : 'b'",
      "literal: const name: 'a' | 'b' = points > 1 ? 'a' : ''",
      'condition: if (!(isShut())) return undefined',
      'return: return',
      'default: return (rank) ?? 7',
      'default: return (7)',
      'logic: return (name ?? rank || 7)',
      'literal: return name ?? rank ?? 8',
      'literal: return name ?? rank ?? (6)',
    ])
  })

  test('TST-01 names a mutant by its file and text, on any line', () => {
    const ids = (text: string) => listMutants('grade.ts', text).map(({ id }) => id)
    expect(ids(`\n\n${gradeText}`)).toEqual(ids(gradeText))
    expect(ids('stop()\nstop()\n')).toEqual(['grade.ts: stop() → ;', 'grade.ts: stop() → ; (2)'])
  })

  test('TST-01 samples by seed, and keeps the order of the others if a mutant is added or removed', () => {
    const mutants = listMutants('grade.ts', gradeText)
    const ids = (seed: number, list = mutants) => rankMutants(list, seed).map(({ id }) => id)
    const gone = mutants[4]?.id
    expect(ids(1)).not.toEqual(ids(2))
    expect(ids(1).toSorted()).toEqual(ids(2).toSorted())
    expect(
      ids(
        1,
        mutants.filter(({ id }) => id !== gone),
      ),
    ).toEqual(ids(1).filter((id) => id !== gone))
  })

  test.each([
    [0, false],
    [2, true],
    [4, true],
    [5, false],
    [9, true],
    [10, false],
  ])('TST-01 reports whether offset %i was reached', (offset, expected) => {
    expect(isEntered([2, 5, 7, 10], offset)).toBe(expected)
  })
})

describe('report', () => {
  const killed = (id: string): Result => ({
    id,
    seed: 1,
    at: 0,
    milliseconds: 9,
    kind: 'killed',
    file: 'a.test.ts',
    by: 'a test',
  })
  const survived = (id: string): Result => ({
    id,
    seed: 2,
    at: 0,
    milliseconds: 9,
    kind: 'survived',
    tried: 1,
    untried: [],
  })
  const why = (...ids: readonly string[]) => new Map(ids.map((id) => [id, 'Nobody can see it.']))

  test('TST-01 sums the known results of existing mutants, and groups survivors by reason', () => {
    const results = [killed('a'), killed('b'), survived('c'), survived('d'), survived('e'), killed('gone')]
    const lists = { equivalents: why('c', 'b', 'lost'), left: why('d') }
    expect(reportOn(results, lists, new Set('abcde'))).toEqual({
      total: 5,
      killed: 2,
      survived: ['d', 'e'],
      equivalent: ['c'],
      unexplained: ['e'],
      mistaken: ['b'],
      unknown: ['lost'],
      score: 0.5,
    })
  })

  test('TST-01 passes if at least 95 of 100 are killed, unless a listed mutant is killed or missing', () => {
    const results = (kills: number) =>
      Array.from({ length: 100 }, (_, index) => (index < kills ? killed : survived)(`${index}`))
    const known = new Set(results(0).map(({ id }) => id))
    const judged = (kills: number, ...listed: readonly string[]) =>
      holds(reportOn(results(kills), { equivalents: new Map(), left: why(...listed) }, known))
    expect([judged(95), judged(94), judged(95, '0'), judged(95, 'gone')]).toEqual([true, false, false, false])
  })

  test('TST-01 each listed mutant exists and has a reason', () => {
    const known = new Set(listAllMutants().map(({ id }) => id))
    const listed = [...readExplained(equivalents).keys(), ...readExplained(left).keys()]
    expect(listed.filter((id) => !known.has(id))).toEqual([])
    expect(new Set(listed).size).toBe(listed.length)
    expect(() => readExplained([{ reason: 'no', mutants: ['a'] }])).toThrow('No reason is given for: a')
  })
})

describe('judge', () => {
  let copy: TreeCopy
  let types: TypeCheck
  let judge: Judge
  /** The one test file that the judge knows for a mutant. */
  let fileOf: (source: string, offset: number) => string

  beforeAll(() => {
    copy = copyTree(root)
    types = new TypeCheck(copy.root)
    const covering = (source: string, offset: number) => [
      { file: fileOf(source, offset), milliseconds: 1_000, breadth: 1, at: 0 },
    ]
    judge = new Judge({ copy, types, coverage: { covering }, patience: 10_000 })
  }, 60_000)

  afterAll(() => {
    judge.stop()
    types.close()
    removeTree(copy)
  })

  test('TST-01 discards mutants that do not compile, in their file or in an importing one, and restores the file', () => {
    const file = 'src/core/domain/text/thrown-text.ts'
    const text = readFileSync(join(copy.root, file), 'utf8')
    expect(types.compiles(file, text)).toBe(true)
    expect(types.compiles(file, `${text}\nconst words: string = 1\n`)).toBe(false)
    expect(types.compiles(file, text.replace('export function', 'export async function'))).toBe(false)
    expect(types.compiles(file, text)).toBe(true)
    expect(readFileSync(join(copy.root, file), 'utf8')).toBe(text)
  })

  test(
    'TST-01 abandons tests that never end, and runs the next ones in a new process',
    { timeout: 60_000 },
    async () => {
      writeFileSync(join(copy.root, 'test/endless.test.ts'), 'for (;;);\n')
      const process = new TestProcess(copy)
      onTestFinished(() => process.stop())
      const request = (file: string) => ({ files: [file], mode: 'alone' }) as const
      const endless = await process.run(request('test/endless.test.ts'), 4_000)
      const next = await process.run(request('test/core/domain/judge-post.test.ts'), 50_000)
      expect(endless).toEqual({ lost: 'no end within 4 s' })
      expect(next).toEqual({ milliseconds: expect.any(Number) })
    },
  )

  test('TST-01 kills a recorded sample again, within half a minute', { timeout: 120_000 }, async () => {
    const start = performance.now()
    const mutants = new Map(listAllMutants().map((mutant) => [mutant.id, mutant]))
    const recorded = readRecordedSample()
    const present = recorded.flatMap(({ id, file }) => {
      const mutant = mutants.get(id)
      return mutant === undefined ? [] : [{ mutant, file }]
    })
    // Lines change: with half of them gone, `npm run mutants:source -- --seed 1 --count 30 --record` records anew.
    expect(present.length).toBeGreaterThanOrEqual(recorded.length / 2)
    const files = new Map(present.map(({ mutant, file }) => [`${mutant.file} ${mutant.offset}`, file]))
    fileOf = (source, offset) => files.get(`${source} ${offset}`) ?? ''
    for (const { mutant, file } of present) {
      if (performance.now() - start > 30_000) break
      expect([mutant.id, await judge.judge(mutant)]).toEqual([
        mutant.id,
        { kind: 'killed', file, by: expect.any(String) },
      ])
    }
  })

  test('TST-01 reports a mutant as alive if its tests do not notice it', { timeout: 60_000 }, async () => {
    const mutant = listAllMutants().find(
      ({ id }) => id.startsWith('src/core/domain/text/redactor.ts: ') && id.includes('<='),
    )
    if (mutant === undefined) throw new Error('There is no such mutant of the redactor.')
    fileOf = () => 'test/core/domain/judge-post.test.ts'
    const verdict = await judge.judge(mutant)
    expect(verdict).toEqual({ kind: 'survived', tried: 1, untried: [] })
  })
})
