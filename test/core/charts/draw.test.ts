import { assign, createMachine, setup } from 'xstate'
import { expect, test } from 'vitest'
import {
  drawMermaid,
  drawSvg,
  foldChart,
  machineConfig,
  markStates,
  modelCallMachine,
  readChart,
  runMachine,
  toolCallMachine,
} from '../../../machines/index.ts'

const own = [
  ['run', runMachine],
  ['toolCall', toolCallMachine],
  ['modelCall', modelCallMachine],
] as const

/** A machine as an application may have it: inline functions, delays, parallel parts, odd names. */
const phone = createMachine({
  id: 'phone',
  initial: 'idle',
  context: { tries: 0 },
  states: {
    idle: {
      on: {
        'call "<b>": now': { target: ['talk.voice.loud', 'talk.line.open'], guard: () => true, actions: assign({}) },
      },
    },
    talk: {
      type: 'parallel',
      states: {
        voice: { initial: 'soft', states: { soft: { after: { 500: 'loud' } }, loud: { entry: () => {} } } },
        line: {
          initial: 'open',
          states: { open: { always: { target: 'cut', guard: () => false } }, cut: { type: 'final' } },
        },
      },
      onDone: 'idle',
    },
  },
})

test.each(own)(
  'CLI-01 the config of %s, read back from JSON, makes a machine with the same states and transitions',
  (_, machine) => {
    const again = createMachine(JSON.parse(JSON.stringify(machineConfig(machine))))
    const facts = (one: typeof again) =>
      readChart(one).states.map(({ arrows, entry, exit, ...state }) => ({
        ...state,
        entry: entry.map(bare),
        exit: exit.map(bare),
        arrows: arrows.map((arrow) => ({ ...arrow, guard: bare(arrow.guard), actions: arrow.actions.map(bare) })),
      }))
    expect(facts(again)).toEqual(facts(machine as never))
  },
)

/** Params that are functions do not travel as JSON. */
function bare(name: string): string {
  return name.replace(/\(.*/, '')
}

test('CLI-01 reads a machine with inline parts, delays and several targets', () => {
  const arrows = readChart(phone).states.flatMap((state) => state.arrows)
  expect(arrows.map(({ from, event, guard, to, actions }) => [from, event, guard, to, actions.join()])).toEqual([
    ['idle', 'call "<b>": now', 'inline', 'talk.voice.loud, talk.line.open', 'assign'],
    ['talk', 'done(state)', '', 'idle', ''],
    ['talk.voice.soft', 'after(500)', '', 'talk.voice.loud', ''],
    ['talk.line.open', 'always', 'inline', 'talk.line.cut', ''],
  ])
  expect(() => createMachine(JSON.parse(JSON.stringify(machineConfig(phone))))).not.toThrow()
})

test('CLI-01 marks the states of a path, and colours its final states', () => {
  const marks = markStates([
    ['idle'],
    [{ talk: { voice: 'soft', line: 'open' } }],
    ['idle'],
    ['idle'],
    ['idle'],
    ['idle'],
  ])
  expect([...marks.active]).toEqual(['idle'])
  expect(marks.places.get('talk.voice')).toEqual([2])
  const text = drawMermaid(readChart(phone), marks)
  expect(text).toContain('state "idle (1, 3, 4, 5, +1)" as idle')
  expect(text).toContain('class talk_voice passed')
  expect(text).toContain('class idle active')
  const folded = drawMermaid(foldChart(readChart(phone)), marks)
  expect(folded).toContain('class idle active')
  expect(folded).toContain('class talk_voice passed')
  expect(folded).not.toContain('soft')
  expect(machineConfig(phone, marks)).toMatchObject({
    states: {
      idle: { meta: { passed: [1, 3, 4, 5, 6], isActive: true } },
      talk: { meta: { passed: [2], isActive: false } },
    },
  })
})

/** The boxes of an SVG by state, and the rows of text. */
function boxesIn(svg: string): ReadonlyMap<string, readonly number[]> {
  const found = svg.matchAll(
    /<rect id="state-([^"]+)"[^>]* x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g,
  )
  return new Map([...found].map(([, path = '', ...box]) => [path, box.map(Number)]))
}

test.each(own)(
  'CLI-01 the SVG of %s draws each state once, inside its parent and overlapping no other',
  (_, machine) => {
    for (const chart of [readChart(machine), foldChart(readChart(machine))]) {
      const boxes = boxesIn(drawSvg(chart))
      expect([...boxes.keys()]).toEqual(chart.states.map(({ path }) => path).filter((path) => path !== ''))
      for (const [path, [x = 0, y = 0, width = 0, height = 0]] of boxes) {
        const [left = 0, top = 0, wide = Infinity, high = Infinity] =
          boxes.get(path.split('.').slice(0, -1).join('.')) ?? []
        expect([x >= left, y >= top, x + width <= left + wide, y + height <= top + high]).toEqual([
          true,
          true,
          true,
          true,
        ])
      }
      const siblings = [...boxes].map(([path, box]) => [path.split('.').slice(0, -1).join('.'), box] as const)
      for (const [index, [parent, [, y = 0, , height = 0]]] of siblings.entries()) {
        const [, [, below = Infinity] = []] = siblings.slice(index + 1).find(([other]) => other === parent) ?? []
        expect(y + height).toBeLessThan(below)
      }
    }
  },
)

test('CLI-01 draws each transition to another state as a line in the SVG, and lists it in words', () => {
  const chart = readChart(toolCallMachine)
  const svg = drawSvg(chart)
  const entering = chart.states.flatMap(({ path, arrows }) => arrows.filter(({ to }) => to !== null && to !== path))
  expect(svg.match(/<circle cx=/g)?.length).toBe(entering.length)
  expect(svg.match(/class="row"/g)?.length).toBe(chart.states.flatMap(({ arrows }) => arrows).length)
})

test('CLI-01 escapes names in an SVG, so that they are only text', () => {
  const evil = setup({}).createMachine({
    id: '</svg><script>alert(1)</script>',
    initial: 'a"onload="x',
    states: {
      'a"onload="x': { description: '<b>\u0000', on: { '<i>': { target: '\u001B[31mred' } } },
      '\u001B[31mred': {},
    },
  })
  const svg = drawSvg(readChart(evil))
  expect(svg).not.toMatch(/<(script|b|i)>|"onload/)
  expect(['\u0000', '\u001B'].filter((control) => svg.includes(control))).toEqual([])
  expect(svg).toContain('&lt;i&gt;')
})

test('CLI-01 an overview shows only compound states and the paths between them', () => {
  const { states } = foldChart(readChart(runMachine))
  expect(states.length).toBeLessThan(readChart(runMachine).states.length / 2)
  const paths = new Set(states.map(({ path }) => path))
  for (const { to } of states.flatMap(({ arrows }) => arrows)) expect(paths.has(to ?? '')).toBe(true)
  const flat = readChart(modelCallMachine)
  expect(foldChart(flat)).toBe(flat)
})
