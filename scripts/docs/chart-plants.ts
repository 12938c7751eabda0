/** A chart that is not one literal, which proves in memory that the checks find it. */
export interface ChartPlant {
  readonly what: string
  readonly text: string
  /**
   * True if the official extractor resolves or ignores a name inside the file, so that only our own check rejects it.
   */
  readonly isFollowed?: boolean
}

/** The config that every plant evaluates to. */
export const doorConfig = {
  id: 'door',
  initial: 'closed',
  states: {
    closed: { on: { 'door.pushed': { guard: 'isOiled', target: 'open', actions: 'ring' } } },
    open: { entry: 'ring', invoke: { src: 'creak', id: 'creak', onDone: 'closed' } },
  },
}

const closed = "closed: { on: { 'door.pushed': { guard: 'isOiled', target: 'open', actions: 'ring' } } }"
const open = "open: { entry: 'ring', invoke: { src: 'creak', id: 'creak', onDone: 'closed' } }"

function door(states: string, before = ''): string {
  return `${before}\nconst machine = doorSetup.createMachine({ id: 'door', initial: 'closed', states: { ${states} } })\n`
}

/** The same chart as one literal, which the checks must accept. */
export const wholeDoor = door(`${closed}, ${open}`)

/** One plant for each way in which parts of a chart can be outside the literal. */
export const chartPlants: readonly ChartPlant[] = [
  { what: 'an imported state', text: door(`${closed}, open`, "import { open } from './states/open.ts'") },
  { what: 'a spread', text: door(`${closed}, ...others`, "import { others } from './states/others.ts'") },
  { what: 'a helper call', text: door(`${closed}, open: opensUpon('ring')`) },
  { what: 'a wrapper', text: door(`${closed}, open: doorSetup.createStateConfig({ entry: 'ring' })`) },
  { what: 'a computed key', text: door(`${closed}, ${open.replace('open', '[names.open]')}`) },
  { what: 'an imported transition', text: door(`${closed}, ${open.replace("'closed'", 'closes')}`) },
  { what: 'a transition by a helper', text: door(`${closed}, ${open.replace("'closed'", "goesTo('closed')")}`) },
  { what: 'a spread list of actions', text: door(`${closed}, ${open.replace("'ring'", '[...rings]')}`) },
  { what: 'a config from elsewhere', text: 'const machine = doorSetup.createMachine(config)\n' },
  {
    what: 'a shared object',
    text: door(`${closed}, open`, `const open = {${open.slice(open.indexOf('{') + 1)}`),
    isFollowed: true,
  },
  {
    what: 'a shared transition',
    text: door(`${closed}, ${open.replace("'closed'", 'closes')}`, "const closes = 'closed'"),
    isFollowed: true,
  },
  {
    what: 'a helper in an input',
    text: door(`${closed}, ${open.replace('src:', 'input: ({ context }) => whole(context), src:')}`),
    isFollowed: true,
  },
  {
    what: 'shared parameters',
    text: door(`${closed}, ${open.replace("'ring'", "{ type: 'ring', params: loudly }")}`),
    isFollowed: true,
  },
  { what: 'an inline action', text: door(`${closed}, ${open.replace("'ring'", "['ring', () => {}]")}`) },
  { what: 'a first state far below', text: `${'\n'.repeat(20)}${wholeDoor}`, isFollowed: true },
]
