import { expect, test } from 'vitest'
import type { Json } from '../../../src/core/domain/text/json.ts'
import type { FileContent, ModelMessage } from '../../../src/core/domain/message.ts'
import type { ModelRequest } from '../../../src/core/ports/model.ts'
import { type Accepted, accepted } from '../../../src/adapters/providers/wire/accepted.ts'
import type { Wire } from '../../../proof/wires/wire.ts'
import { wires } from '../../../proof/wires/wires.ts'
import { ask, requestOf } from './ask.ts'
import { assistant, clock, picture, user } from './history.ts'
import { judges } from './vendor-rules.ts'

const png = picture.data
const jpeg = '/9j/4AAQSkZJRg=='
const gif = 'R0lGODlhAQABAAAAACw='
const webp = 'UklGRhoAAABXRUJQVlA4TA=='
const large = (bytes: number) => Buffer.concat([Buffer.from(png, 'base64'), Buffer.alloc(bytes)]).toString('base64')

const texts: readonly string[] = [
  '',
  ' ',
  '\n',
  '\t\r\n',
  '\u00a0',
  '\u200b',
  '\ufeff',
  '\u0000',
  '\ud800',
  'a\udc00b',
  '😀',
  'ü',
  '日本',
  '-',
  '_',
  '.',
  '/',
  'functions.mail',
  'mail<|channel|>commentary',
  'mail it',
  'mail\n',
  '"',
  '\\ud800',
  '</tool>',
  '__proto__',
  'constructor',
  'null',
  '{}',
  '[]',
  '0',
  'x'.repeat(64),
  'x'.repeat(65),
  'x'.repeat(140),
  'é'.repeat(70),
  '😀'.repeat(40),
  png,
  `data:image/png;base64,${png}`,
  'data:,x',
  'https://example.com/a.png',
  'image/jpeg',
  'image/svg+xml',
  'image/bmp',
]

const pictures: readonly string[] = [
  png,
  jpeg,
  gif,
  webp,
  jpeg.replaceAll('/', '_'),
  png.replaceAll('=', ''),
  `${png}\n`,
  `data:image/jpeg;base64,${gif}`,
  'AAAA',
  'c3Zn',
  'Qk0=',
  'no base64!',
  '=',
  large(3_749_992),
  large(3_750_000),
  large(8_000_000),
]

const pdf = 'JVBERi0xLjc='
const zip = 'UEsDBA=='
const office = 'application/vnd.openxmlformats-officedocument.'
const file = (data: string, mediaType: string, name?: string) => ({
  data,
  mediaType,
  ...(name === undefined ? {} : { name }),
})
const files: readonly Json[] = [
  file(pdf, 'application/pdf'),
  file(pdf, 'application/pdf', 'a  b/ü😀..pdf'),
  file(pdf, 'application/pdf', '\ud800'),
  file(pdf, 'application/pdf', 'x'.repeat(300)),
  file(pdf, 'text/plain', 'a'),
  file(`data:application/pdf;base64,${pdf}`, ''),
  file(zip, 'application/pdf'),
  file(zip, 'application/zip'),
  file(zip, `${office}wordprocessingml.document`, 'a.docx'),
  file(zip, `${office}spreadsheetml.sheet`),
  file('0M8R4A==', 'application/msword'),
  file(png, 'application/pdf'),
  file('aGk=', 'text/plain', 'a.txt'),
  file('IA==', 'text/plain'),
  file('', 'application/pdf'),
  file('AAAA', 'audio/wav'),
  file('AAAA', 'application/octet-stream'),
  file(`${pdf.slice(0, -4)}${'A'.repeat(7_000_000)}`, 'application/pdf'),
  file(`${pdf.slice(0, -4)}${'A'.repeat(32_000_000)}`, 'application/pdf'),
]

const values: readonly Json[] = [
  null,
  true,
  0,
  'text',
  [],
  [1],
  [{}],
  {},
  { '\ud800': ['\udc00'] },
  { a: { b: [null] } },
]

/** A transcript with a value in one place of it, as a session or an import may hold. */
const places: Readonly<Record<string, (value: never) => readonly ModelMessage[]>> = {
  prompt: (value: string) => [user('Hi'), said('Hello'), user(value)],
  'first prompt': (value: string) => [user(value)],
  'prompt between answers': (value: string) => [user('Hi'), said('Hello'), user(value), said('Yes'), user('So?')],
  answer: (value: string) => [said(value), user('Hi')],
  name: (value: string) => round({ name: value }),
  id: (value: string) => round({ id: value }),
  result: (value: string) => round({ content: [{ type: 'text', text: value }] }),
  label: (value: string) => round({ content: [{ ...picture, mimeType: value }] }),
  picture: (value: string) => round({ content: [{ ...picture, data: value }] }),
  'picture of a prompt': (value: string) => [{ ...user(''), content: [{ ...picture, data: value }] }],
  file: (value: object) => round({ content: fileBlocks(value) }),
  'file of a prompt': (value: object) => [{ ...user(''), content: fileBlocks(value) }],
  arguments: (value: Json) => round({ given: value }),
}

/** Two files of one name; a large one stands alone, because only its size is judged. */
function fileBlocks(value: object): readonly FileContent[] {
  const block: FileContent = { type: 'file', data: '', mediaType: '', ...value }
  return block.data.length > 1_000_000 ? [block] : [block, block]
}

function said(text: string) {
  return assistant([{ type: 'text', text }], { provider: 'other', model: 'other' })
}

interface Round {
  readonly name?: string
  readonly id?: string
  readonly given?: Json
  readonly content?: Extract<ModelMessage, { role: 'toolResult' }>['content']
}

function round({ name = 'weather', id = 'c', given = {}, content = [{ type: 'text', text: 'ok' }] }: Round) {
  const calls = ['1.1', '1.2'].map((callId) => ({ type: 'toolCall' as const, id, callId, name, arguments: given }))
  const asked = assistant(calls, { provider: 'other', model: 'other' })
  const results = calls.map(({ callId }) => ({
    role: 'toolResult' as const,
    callId,
    toolCallId: id,
    toolName: name,
    content,
    isError: false,
    status: 'success' as const,
    timestamp: 1,
  }))
  return [user('Go'), asked, ...results]
}

/** In a result, what is too large is sent once: in a prompt each size is. */
function valuesFor(place: string): readonly Json[] {
  if (place === 'arguments') return values
  if (place === 'file of a prompt') return files
  if (place === 'file') return files.slice(0, -1)
  if (place === 'picture of a prompt') return pictures
  return place === 'picture' ? pictures.slice(0, -1) : texts
}

async function sent(wire: Wire, request: ModelRequest): Promise<unknown> {
  let body: unknown
  const fetch = async (input: unknown, init?: RequestInit) => {
    const text = input instanceof Request ? await input.text() : await new Response(init?.body ?? '').text()
    body = JSON.parse(text)
    return new Response('{}', { status: 500 })
  }
  await ask(wire.make('http://127.0.0.1:9', { fetch }), request)
  return body
}

const judgedWires = wires.filter(({ name }) => judges[name] !== undefined)

test.each(judgedWires)('PRV-02 PRV-09 $name sends nothing that its vendor refuses', async (wire) => {
  const broken: string[] = []
  for (const [place, transcript] of Object.entries(places)) {
    for (const value of valuesFor(place)) {
      const messages = transcript(value as never)
      const rules = judges[wire.name]?.(await sent(wire, requestOf({ messages })))
      if (rules?.length !== 0) broken.push(`${place} ${JSON.stringify(value).slice(0, 60)}: ${rules?.join(', ')}`)
    }
  }
  expect(broken).toEqual([])
})

/** The rules of a wire, by the name that its models give it. */
function rulesOf(wire: Wire): Accepted | undefined {
  const rules: Readonly<Record<string, Accepted>> = accepted
  return rules[wire.make('http://127.0.0.1:9').wire ?? '']
}

test('PRV-02 documents what each wire accepts', () => {
  expect(wires.filter((wire) => rulesOf(wire) === undefined).map(({ name }) => name)).toEqual([])
})

test.each(judgedWires)('PRV-02 $name leaves out the oldest of too many pictures, and names them', async (wire) => {
  const count = rulesOf(wire)?.pictures.count ?? 0
  const shown = Array<typeof picture>(count + 1).fill(picture)
  const text = JSON.stringify(await sent(wire, requestOf({ messages: [{ ...user(''), content: shown }] })))
  expect(text.split(png)).toHaveLength(count + 1)
  expect(text.split('[An image of type image/png was left out: there are too many newer ones.]')).toHaveLength(2)
})

test('PRV-02 sends descriptions and schemas of tools without lone surrogates', async () => {
  const tools = [{ ...clock, description: 'a\ud800', parameters: { type: 'object', description: '\udc00' } }]
  for (const wire of judgedWires) {
    expect(judges[wire.name]?.(await sent(wire, requestOf({ tools })))).toEqual([])
  }
})

test('PRV-07 uses the same legal tool name in the call and in its result', async () => {
  const google = wires.find(({ name }) => name === 'google')
  if (google === undefined) throw new Error('There is no wire google.')
  const text = JSON.stringify(await sent(google, requestOf({ messages: round({ name: 'functions.mail' }) })))
  expect(text.split('"functions_mail"')).toHaveLength(5)
})
