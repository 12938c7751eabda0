import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { type Ran, runExamples } from './run-examples.ts'

/** Examples that start no processes: they run one after the other in one, as loading the package costs most. */
const joined = `
  quick-start agent-team inspector long-chat count-tokens remembering events approval web-server
  stored-events queue-worker plugins pet-store input-filters steering conversation session-tree
  chat transcript-from-elsewhere output-contract hooks remote-agent
`
let together: ReadonlyMap<string, Ran>

beforeAll(() => {
  together = runExamples(joined.trim().split(/\s+/))
}, 120_000)

/** The result of an example, which has run together with others or runs now. */
function runExample(name: string): Ran {
  const ran = together.get(name) ?? runExamples([name]).get(name)
  if (ran === undefined) throw new Error(`The example ${name} did not run.`)
  return ran
}

const clean = { status: 0, stderr: '', left: [] }
const saysScripted = 'The model is scripted. MODEL=<provider>/<model> asks a real one.'

test('TOOL-01 the quick start runs a tool and answers', () => {
  const lines = [saysScripted, 'weather succeeded', 'done: Take an umbrella.']
  expect(runExample('quick-start')).toEqual({ ...clean, lines })
}, 60_000)

test('SVC-01 SVC-04 a payment by a service in another process, killed before it answers, is booked once', () => {
  const lines = [
    'waiting: the payment has left',
    'the bank was killed, with 9',
    'Ada is paid. Booked 1 time; sent more than once: true',
  ]
  expect(runExample('payment-service')).toEqual({ ...clean, lines })
}, 60_000)

test('AGT-16 SVC-05 one agent of a team approves for the other, as a service', () => {
  const lines = ['It is out. The editor was asked by /agents/writer/runs/article, and approved: {"approved":true}']
  expect(runExample('agent-team')).toEqual({ ...clean, lines })
}, 60_000)

test('OBS-02 shows a run and its charts on a local page', () => {
  const { lines, ...rest } = runExample('inspector')
  expect(rest).toEqual(clean)
  expect(lines[0]).toMatch(/^Open http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+$/)
  expect(lines.slice(1)).toEqual(['waiting fetch', 'Found and fetched.', 'messages sent 0 dropped, chart 200'])
}, 60_000)

test('CTX-02 a chat of 2,000 messages stays in a window of 8,000 tokens and remembers each name', () => {
  const lines = ['2000 messages in the transcript, none of 100 prompts beyond the window', 'Answer 100 for Ada.']
  expect(runExample('long-chat')).toEqual({ ...clean, lines })
}, 60_000)

test('CTX-01 a tokenizer counts a text of 100,000 equal letters piece by piece', () => {
  const lines = ['100,000 letters: 12500 tokens in 100 pieces of at most 2000 characters']
  expect(runExample('count-tokens')).toEqual({ ...clean, lines })
}, 60_000)

test('CTX-04 remembers the words of a user in the next session, for that user only, until it is forgotten', () => {
  const lines = ['Told on Monday, known on Tuesday, and forgotten when asked to.']
  expect(runExample('remembering')).toEqual({ ...clean, lines })
}, 60_000)

test("EVT-01 EVT-02 EVT-03 draws a run's events as a tree, by a listener and live", () => {
  const lines = [
    'run of guide, in the conversation talk-7',
    '    user: Oslo?',
    '  turn 1, by user',
    '    assistant: Let me see.',
    '    weather of Oslo: 7 degrees',
    '    toolResult: {"degrees":7}',
    '  turn 2, by continuation',
    '    assistant: Cold.',
    'natural_end after 2 turns',
    'written as it came: Let me see. Cold.',
  ]
  expect(runExample('events')).toEqual({ ...clean, lines })
}, 60_000)

test('TOOL-02 TOOL-03 an agent finds a mistake with a command, fixes it and runs the test again', () => {
  const { lines, ...rest } = runExample('fix-test')
  expect(rest).toEqual(clean)
  expect(lines.slice(-10)).toEqual([
    'shell: warning, exit code 1',
    'read_file: success',
    'edit_file: success',
    '--- a/add.mjs',
    '+++ b/add.mjs',
    '@@ -1,1 +1,1 @@',
    '-export const add = (left, right) => left - right',
    '+export const add = (left, right) => left + right',
    'shell: success, exit code 0',
    'done: The test passes: add subtracted.',
  ])
}, 60_000)

test('DEC-07 DEC-06 the approval comes from a second agent on the same file, and counts once', () => {
  const lines = [
    'waiting: send needs an approval, nothing is sent',
    'done: It is out. Sent once: 900 to Ada. The second yes was a duplicate.',
  ]
  expect(runExample('approval')).toEqual({ ...clean, lines })
}, 60_000)

test("DEC-07 EVT-01 a web server streams a run and runs its call after the page's approval", () => {
  const lines = ['approval applied; It is out. Sent once, to Ada.']
  expect(runExample('web-server')).toEqual({ ...clean, lines })
}, 60_000)

test("EVT-04 a web-standard handler serves stored events, and continues after a page's last event", () => {
  const lines = ['6 events are stored; after the second, 4 follow.']
  expect(runExample('stored-events')).toEqual({ ...clean, lines })
})

test('CKP-05 RUN-05 two workers on a queue that delivers twice run each job once', () => {
  const lines = ['4 deliveries, 2 runs, the model was asked 2 times']
  expect(runExample('queue-worker')).toEqual({ ...clean, lines })
}, 60_000)

test('SCALE-01 DEC-07 a web server stores runs and answers, and two worker processes drive them', () => {
  const lines = ['6 refunds asked for over HTTP, approved, and made once each by 2 worker processes']
  expect(runExample('workers')).toEqual({ ...clean, lines })
}, 60_000)

test('SCALE-01 a batch of 200 documents continues after a kill half-way, and repeats no finished request', () => {
  const line = /^killed after \d+ of 200 documents; \d+ more asked for$/
  expect(runExample('batch')).toEqual({ ...clean, lines: [expect.stringMatching(line)] })
}, 60_000)

test('TC-08 TC-09 after a crash each call follows the effects of its tool', () => {
  const lines = [
    'mail is interrupted; the journal says it went out: take that for its result',
    'All done. read ran again, put ran again under the same key, mail ran once',
  ]
  expect(runExample('crash-policy')).toEqual({ ...clean, lines })
}, 60_000)

test('TC-08 TC-03 a payment continues after its finished step, and a failed look-up is retried', () => {
  const lines = [
    'pay is interrupted; done already: charge',
    'All done. looked up at the third attempt, charged once, mailed by the second process',
  ]
  expect(runExample('steps')).toEqual({ ...clean, lines })
}, 60_000)

test('PH-01 TC-02 plugins choose tools and a model, give a hint after failures and mask a secret', () => {
  const lines = [
    'scripted/small: Refund Ada.',
    'scripted/small: Tool "refund" is not offered in this step. Available tools: look_up.',
    'scripted/large: Ada, card [secret CARD]',
    'scripted/large: [Tool "refund" has failed 2 times in a row. Try another way.]',
    'scripted/large: [Tool "refund" has failed 3 times in a row. Try another way.]',
  ]
  expect(runExample('plugins')).toEqual({ ...clean, lines })
}, 60_000)

test("TOOL-04 reads an MCP server's files at once and writes them after an approval", () => {
  const lines = [
    'files__read_text_file: success',
    'waiting: files__write_file needs an approval',
    'done: Bread is on the list.',
  ]
  expect(runExample('mcp-files')).toEqual({ ...clean, lines })
}, 60_000)

/** Runs a few lines as a process of its own, with the functions of `examples/plain-xstate.ts` at hand. */
function runPlain(lines: string, ...given: readonly string[]): string {
  const program = `import { begin, finish } from './examples/plain-xstate.ts'\n${lines}`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program, ...given], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' },
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout
}

test('RUN-09 CKP-03 plain XState in 25 lines: streams text, stores JSON, and another process approves and finishes', () => {
  const out = runPlain(
    "let text = ''; const saved = await begin('Light!', (part) => { text += part }); process.stdout.write(`${text}\\n${saved}`)",
  )
  const [text, saved = ''] = out.split('\n')
  expect(text).toBe('Light it is.')
  expect(runPlain('process.stdout.write(await finish(process.argv[1]))', saved)).toBe('Lit.')
  expect(readFileSync('examples/plain-xstate.ts', 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(25)
}, 60_000)

test('RUN-09 draws the states of a run and its calls live', () => {
  const { lines, ...rest } = runExample('live-states')
  expect(rest).toEqual(clean)
  const drawn = (name: string) => [
    ...new Set(lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(25))),
  ]
  expect(drawn('run')).toEqual([
    'running › turn › callingModel',
    'running › toolRound › executing',
    'waiting',
    'running › resumeGate › replaying',
    'done',
  ])
  expect(drawn('1.scripted-0-1')).toEqual([
    'suspended › resting',
    'suspended › decided',
    'resuming › gating',
    'running › executing',
    'succeeded › settled',
  ])
  expect(lines.at(-1)).toBe('done: Found and fetched.')
}, 60_000)

test("TOOL-05 DEC-07 offers a pet store's operations as tools, and one of them waits for an approval", () => {
  const lines = [
    'waiting: sellPet needs an approval, Rex is still there',
    'done: Rex is sold.',
    'the token is nowhere in the stored run',
  ]
  expect(runExample('pet-store')).toEqual({ ...clean, lines })
}, 60_000)

test('PH-03 a filter rejects a prompt with a key, and another warns the model', () => {
  const lines = ['natural_end: My lamp is broken!![Warning: They are upset.]', 'input_rejected: It holds a key.']
  expect(runExample('input-filters')).toEqual({ ...clean, lines })
}, 60_000)

test('AGT-03 a message to a run skips unstarted calls, and a follow-up is read at the end', () => {
  const lines = [
    'user: What are the pages about?',
    'toolResult: Page {"page":1}: lamps.',
    'toolResult: Skipped due to queued user message.',
    'toolResult: Skipped due to queued user message.',
    'user: Only the first page.',
    'assistant: It is about lamps.',
    'user: Thanks. In one word?',
    'assistant: Lamps.',
  ]
  expect(runExample('steering')).toEqual({ ...clean, lines })
}, 60_000)

test('AGT-02 a conversation continues in new runs, branches, and refuses a prompt while a run is active', () => {
  const lines = [
    'run_busy',
    'oslo: Snow.',
    'Weather in Oslo? Rain. And tomorrow? Dry. And on Sunday? Snow.',
    'Weather in Oslo? Rain. And in Bergen? Dry.',
  ]
  expect(runExample('conversation')).toEqual({ ...clean, lines })
}, 60_000)

test('SES-01 SES-02 draws a recorded session as a tree, with a rerun, a branch and the run of a sub-agent', () => {
  const lines = [
    'order-7.v1.1 (completed, 2 turns): What was order 7?',
    '  > look_up: run reading of reading',
    '  order-7.v1.2 (completed, 1 turns): Are they paid?',
    '    order-7.v1.3 (completed, 1 turns, rerun again): the same',
    '      order-7.v1.4 (completed, 1 turns, branch other): Are they sent?',
  ]
  expect(runExample('session-tree')).toEqual({ ...clean, lines })
}, 60_000)

test('AGT-01 a chat in at most 20 lines remembers earlier messages', () => {
  const lines = [saysScripted, 'I am Ada. Hello, Ada.', 'What is my name? Your name is Ada.']
  expect(runExample('chat')).toEqual({ ...clean, lines })
  expect(readFileSync('examples/chat.ts', 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(20)
}, 60_000)

test('AGT-01 imports a transcript from three other programs, and continues it', () => {
  const told = 'Weather in Oslo? Rain It rains. And tomorrow? Tomorrow it is dry.'
  const lines = ['openai-chat', 'anthropic', 'ai-sdk'].map((format) => `${format}: ${told}`)
  expect(runExample('transcript-from-elsewhere')).toEqual({ ...clean, lines })
}, 60_000)

test('AGT-08 EVT-02 streams, corrects and types an answer', () => {
  const { lines, ...rest } = runExample('output-contract')
  expect(rest).toEqual(clean)
  const [correction] = lines.filter((line) => line.startsWith('['))
  expect(correction).toBe(
    '[The answer does not fit the expected output: - people: Invalid input: expected number, received undefined. Answer again.]',
  )
  expect(lines).toContain('so far: {"city":"Bern"}')
  expect(lines.slice(-2)).toEqual(['so far: {"city":"Bern","people":134591}', 'Bern has 135 thousand people.'])
}, 60_000)

test('PH-02 hooks skip a tool, hold back a card number and see which tools ran', () => {
  const lines = [
    'read_order tells: Order 7: two lamps.',
    'read_order: Two lamps, paid.',
    'delete_order: Tool execution skipped by the beforeToolExecution hook.',
    'done: I read the order. I may not delete it.',
  ]
  expect(runExample('hooks')).toEqual({ ...clean, lines })
}, 60_000)

test('SRV-02 an agent pays on another server over A2A after its boss approved', () => {
  expect(runExample('remote-agent')).toEqual({ ...clean, lines: ['The clerk has paid.'] })
}, 60_000)
