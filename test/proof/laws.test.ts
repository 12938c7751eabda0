import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FaultPlayer } from '../../proof/laws/fault-player.ts'
import { findGaps, type Repository } from '../../proof/laws/find-gaps.ts'
import type { PlantedFault } from '../../proof/laws/planted-fault.ts'
import { plantedFaults } from '../../proof/laws/planted-faults.ts'
import { readDecision, readDecisions } from '../../proof/laws/read-decisions.ts'
import { root } from '../../proof/mutants-source/all-mutants.ts'
import { copyTree, removeTree } from '../../proof/mutants-source/copy-tree.ts'

const repository: Repository = {
  read: (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined),
  scripts: Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts),
}

describe('planted faults', () => {
  test('TST-01 each decision in force has a planted fault, and its page names the checks that notice the fault', () => {
    const pages = readDecisions(root)
    expect(pages.map(({ number }) => number)).toEqual(pages.map((_, index) => index + 1))
    expect(findGaps(pages, plantedFaults, repository)).toEqual([])
  })

  const page = readDecision(
    '0003-slots.md',
    '# 3. Slots\n\n**Enforced by** `npm run rooms` and `test/slots.test.ts`; done in `src/slots.ts`.\n**Tests** `test/more.test.ts`.',
  )
  const fault: PlantedFault = {
    decision: 3,
    bends: 'A slot is filled twice.',
    file: 'src/slots.ts',
    text: 'if (isFull)',
    by: 'if (false)',
    check: 'test/slots.test.ts',
  }
  const lint: PlantedFault = { ...fault, bends: 'Another room fills slots.', check: 'rooms' }
  const files = new Map([
    ['src/slots.ts', 'if (isFull) throw full()'],
    ['test/slots.test.ts', ''],
  ])
  const held: Repository = { read: (path) => files.get(path), scripts: ['rooms'] }

  test("TST-01 compares a planted fault with the checks that its decision's page names", () => {
    expect(page).toEqual({
      number: 3,
      file: '0003-slots.md',
      isInForce: true,
      checks: ['rooms', 'test/slots.test.ts'],
    })
    expect(findGaps([page], [fault, lint], held)).toEqual([])
  })

  const superseded = readDecision('0003-slots.md', '# 3. Slots\n\n**Superseded** by [4](0004-more.md).')
  const unfit = '"A slot is filled twice." cannot be planted in src/slots.ts: '
  test.each([
    ['a decision is added without a fault', [page], [], ['docs/adr/0003-slots.md has no planted fault']],
    ['nobody has seen a check fail', [page], [fault], ['docs/adr/0003-slots.md names the check rooms, and no']],
    [
      'the page does not name a check',
      [{ ...page, checks: ['rooms'] }],
      [fault, lint],
      ['docs/adr/0003-slots.md does'],
    ],
    ['the decision is superseded', [superseded], [fault], ['"A slot is filled twice." is for decision 3']],
    ['there is no such decision', [], [fault], ['"A slot is filled twice." is for decision 3']],
    ['the place is gone', [page], [{ ...fault, text: 'if (isOpen)' }, lint], [unfit]],
    ['the place is there twice', [page], [{ ...fault, text: 'full' }, lint], [unfit]],
    ['the fault changes nothing', [page], [{ ...fault, by: fault.text }, lint], [unfit]],
  ])('TST-01 refuses a planted fault if %s', (_, pages, faults, expected) => {
    const gaps = findGaps(pages, faults, {
      ...held,
      read: (path) => files.get(path)?.replace('full()', 'full, full()'),
    })
    expect(gaps.map((gap, index) => gap.slice(0, expected[index]?.length))).toEqual(expected)
  })

  test('TST-01 refuses a planted fault if its check does not exist', () => {
    expect(
      findGaps([page], [fault, lint], { read: (path) => files.get(path.replace(/^test.*/, '')), scripts: [] }),
    ).toEqual([
      '"A slot is filled twice." asks for the check test/slots.test.ts, which does not exist.',
      '"Another room fills slots." asks for the check rooms, which does not exist.',
    ])
  })
})

test('TST-01 notices a planted fault in a copy, but not a change without effect', { timeout: 120_000 }, async () => {
  const copy = copyTree(root)
  const player = new FaultPlayer(copy)
  onTestFinished(() => {
    player.stop()
    removeTree(copy)
  })
  const fault = plantedFaults.find(({ decision, check }) => decision === 8 && check.includes('judge-decision'))
  if (fault === undefined) throw new Error('Decision 8 has no fault that the judge of decisions notices.')
  const before = readFileSync(join(copy.root, fault.file), 'utf8')
  expect(await player.play({ ...fault, by: `${fault.text}\n` })).toEqual({ kind: 'passed' })
  expect(await player.play(fault)).toEqual({ kind: 'failed', by: expect.stringMatching(/DEC-0[67]/) })
  expect(await player.play({ ...fault, by: 'if (' })).toMatchObject({ kind: 'lost' })
  expect(await player.play({ ...fault, text: 'nowhere' })).toMatchObject({ kind: 'lost' })
  expect(readFileSync(join(copy.root, fault.file), 'utf8')).toBe(before)
})
