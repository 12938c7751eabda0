import { isRecord } from '../../../src/core/domain/text/json.ts'

/**
 * The rules that vendors publish for requests, written independently: these judges share nothing with the wires. Each
 * one returns the rules that the body of a request breaks.
 */
export type Judge = (body: unknown) => readonly string[]

const megabyte = 1024 * 1024
const pngJpegWebp = ['image/png', 'image/jpeg', 'image/webp']
const withGif = [...pngJpegWebp, 'image/gif']

/** The judge of each wire, by its name in `wires`. */
export const judges: Readonly<Record<string, Judge>> = {
  anthropic: (body) => judged(body, judgeAnthropic),
  bedrock: (body) => judged(body, judgeBedrock),
  google: (body) => judged(body, judgeGemini),
  'openai-chat': (body) => judged(body, (given, say) => judgeChat(given, say, withGif, 20 * megabyte)),
  'ai-sdk': (body) => judged(body, (given, say) => judgeChat(given, say, pngJpegWebp, 3.75 * megabyte)),
  'openai-responses': (body) => judged(body, judgeResponses),
}

type Item = Readonly<Record<string, unknown>>
type Say = (isBroken: boolean, rule: string) => void

function judged(body: unknown, judge: (body: Item, say: Say) => void): readonly string[] {
  const broken: string[] = []
  const say: Say = (isBroken, rule) => void (isBroken && broken.push(rule))
  say(
    textsIn(body).some((text) => !text.isWellFormed()),
    'a lone surrogate',
  )
  if (isRecord(body)) judge(body, say)
  else broken.push('no body')
  return broken
}

function judgeAnthropic({ messages }: Item, say: Say): void {
  const turns = items(messages)
  say(turns[0]?.['role'] !== 'user', 'the first message is not of a user')
  say(turns.at(-1)?.['role'] !== 'user', 'the last message is not of a user')
  let open: unknown[] = []
  for (const turn of turns) {
    const blocks = items(turn['content'])
    say(blocks.length === 0, 'a message without content')
    const results = blocks.flatMap((block) => (block['type'] === 'tool_result' ? [block['tool_use_id']] : []))
    say(inOrder(results) !== inOrder(open), 'results that do not answer the calls before them')
    open = blocks.flatMap((block) => (block['type'] === 'tool_use' ? [block['id']] : []))
    for (const block of blocks.flatMap((one) => [one, ...items(one['content'])])) {
      if (block['type'] === 'text') sayText(block['text'], say)
      if (block['type'] === 'tool_use') sayCall(block['name'], block['id'], block['input'], say)
      if (block['type'] === 'document' && isRecord(block['source'])) sayPdf(block['source']['data'], 22_000_000, say)
      if (block['type'] !== 'image' || !isRecord(block['source'])) continue
      sayPicture(block['source']['data'], block['source']['media_type'], withGif, say)
      say(String(block['source']['data']).length > 5 * megabyte, 'a picture over 5 MB')
    }
  }
}

function judgeBedrock({ messages }: Item, say: Say): void {
  const turns = items(messages)
  say(turns.length === 0, 'no message')
  const names = new Set<unknown>()
  let open: unknown[] = []
  for (const [place, turn] of turns.entries()) {
    say(turn['role'] !== (place % 2 === 0 ? 'user' : 'assistant'), 'roles that do not alternate')
    const blocks = items(turn['content'])
    say(blocks.length === 0, 'a message without content')
    const results = blocks.flatMap((block) => (isRecord(block['toolResult']) ? [block['toolResult']] : []))
    const ids = results.map((result) => result['toolUseId'])
    say(inOrder(ids) !== inOrder(open), 'results that do not answer the calls before them')
    open = blocks.flatMap((block) => (isRecord(block['toolUse']) ? [block['toolUse']['toolUseId']] : []))
    const isBare = blocks.some((block) => 'document' in block) && !blocks.some((block) => 'text' in block)
    say(isBare, 'a document without a text')
    for (const block of [...blocks, ...results.flatMap((result) => items(result['content']))]) {
      if ('text' in block) sayText(block['text'], say)
      const { toolUse, image, document } = block
      if (isRecord(document)) {
        sayDocument(document, say)
        say(names.has(document['name']), 'two documents of one name')
        names.add(document['name'])
      }
      if (isRecord(toolUse)) sayCall(toolUse['name'], toolUse['toolUseId'], toolUse['input'], say)
      if (!isRecord(image) || !isRecord(image['source'])) continue
      sayPicture(image['source']['bytes'], `image/${String(image['format'])}`, withGif, say)
      say(String(image['source']['bytes']).length > 5 * megabyte, 'a picture over 3.75 MB')
    }
  }
}

function judgeGemini({ contents }: Item, say: Say): void {
  const turns = items(contents)
  say(turns[0]?.['role'] !== 'user', 'the first content is not of a user')
  let open: unknown[] = []
  for (const turn of turns) {
    const parts = items(turn['parts'])
    say(parts.length === 0, 'a content without parts')
    const names = parts.flatMap((part) =>
      isRecord(part['functionResponse']) ? [part['functionResponse']['name']] : [],
    )
    if (names.length > 0 || open.length > 0) say(names.join() !== open.join(), 'responses of other calls')
    open = parts.flatMap((part) => (isRecord(part['functionCall']) ? [part['functionCall']['name']] : []))
    for (const part of parts) {
      if ('text' in part) sayText(part['text'], say)
      const { functionCall: call, functionResponse: answer, inlineData } = part
      if (isRecord(call)) sayCall(call['name'], 'x', call['args'] ?? {}, say)
      const nested = isRecord(answer) ? items(answer['parts']).map((one) => one['inlineData']) : []
      for (const data of [inlineData, ...nested]) {
        if (!isRecord(data)) continue
        const { data: bytes, mimeType } = data
        if (String(mimeType).startsWith('image/')) sayPicture(bytes, mimeType, pngJpegWebp, say)
        else if (mimeType === 'application/pdf') sayPdf(bytes, 14_000_000, say)
        else say(!/^(audio|video)\//.test(String(mimeType)), `a file of the type ${String(mimeType)}`)
      }
    }
  }
}

function judgeChat({ messages }: Item, say: Say, types: readonly string[], most: number): void {
  const turns = items(messages)
  say(turns.length === 0, 'no message')
  let open: unknown[] = []
  for (const turn of turns) {
    const { role, content } = turn
    if (role === 'tool') {
      say(!open.includes(turn['tool_call_id']), 'a result of no call')
      open = open.filter((id) => id !== turn['tool_call_id'])
    } else {
      say(open.length > 0, 'a call without a result')
    }
    const calls = items(turn['tool_calls'])
    say(content === null && calls.length === 0, 'a message without content')
    if (typeof content === 'string' && !(content === '' && calls.length > 0)) sayText(content, say)
    for (const part of items(content)) {
      if (part['type'] === 'text') sayText(part['text'], say)
      if (isRecord(part['image_url'])) sayDataUrl(part['image_url']['url'], types, most, say)
      if (isRecord(part['file'])) sayFile(part['file'], ['application/pdf'], say)
    }
    for (const call of calls) {
      const asked = isRecord(call['function']) ? call['function'] : {}
      sayCall(asked['name'], call['id'], JSON.parse(String(asked['arguments'])), say)
      open.push(call['id'])
    }
  }
}

function judgeResponses({ input }: Item, say: Say): void {
  const all = items(input)
  say(all.length === 0, 'no item')
  const open = new Set<unknown>()
  for (const item of all) {
    if (item['type'] === 'function_call') {
      sayCall(item['name'], item['call_id'], JSON.parse(String(item['arguments'])), say)
      open.add(item['call_id'])
    }
    if (item['type'] === 'function_call_output') say(!open.delete(item['call_id']), 'an output of no call')
    for (const content of [item['content'], item['output']]) {
      if (typeof content === 'string') sayText(content, say)
      for (const part of items(content)) {
        if (part['type'] === 'input_text') sayText(part['text'], say)
        if (part['type'] === 'input_image') sayDataUrl(part['image_url'], withGif, 20 * megabyte, say)
        if (part['type'] === 'input_file') sayFile(part, fileTypes, say)
      }
    }
  }
  say(open.size > 0, 'a call without an output')
}

function sayText(text: unknown, say: Say): void {
  say(typeof text !== 'string' || text.trim() === '', 'a blank text')
}

function sayCall(name: unknown, id: unknown, input: unknown, say: Say): void {
  say(typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name), `the name ${String(name).slice(0, 80)}`)
  say(typeof id !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(id), `the id ${String(id).slice(0, 80)}`)
  say(!isRecord(input), 'an input that is not an object')
}

function sayDataUrl(url: unknown, types: readonly string[], most: number, say: Say): void {
  const [, type, data] = /^data:([a-z/+-]*);base64,(.*)$/s.exec(String(url)) ?? []
  sayPicture(data, type, types, say)
  say(((data ?? '').length * 3) / 4 > most, 'a picture that is too large')
}

const beginnings: Readonly<Record<string, string>> = {
  'image/png': '89504e47',
  'image/jpeg': 'ffd8ff',
  'image/gif': '47494638',
  'image/webp': '52494646',
}

function sayPicture(data: unknown, type: unknown, types: readonly string[], say: Say): void {
  say(typeof type !== 'string' || !types.includes(type), `a picture of the type ${String(type)}`)
  const bytes = Buffer.from(String(data), 'base64')
  say(bytes.toString('base64') !== data, 'a picture that is not base64')
  say(!bytes.toString('hex').startsWith(beginnings[String(type)] ?? '?'), 'a picture of another type than it says')
}

const office = 'application/vnd.openxmlformats-officedocument.'
const documentTypes = ['application/pdf', 'application/msword', `${office}wordprocessingml.document`]
const fileTypes = [...documentTypes, 'application/vnd.ms-excel', `${office}spreadsheetml.sheet`]

function sayFile({ filename, file_data: url }: Item, types: readonly string[], say: Say): void {
  const [, type = '', data] = /^data:([a-z/.+-]*);base64,(.*)$/s.exec(String(url)) ?? []
  say(typeof filename !== 'string' || filename === '', 'a file without a name')
  say(!types.includes(type), `a file of the type ${type}`)
  if (type === 'application/pdf') sayPdf(data, 32_000_000, say)
}

function sayDocument({ format, name, source }: Item, say: Say): void {
  const bytes = isRecord(source) ? source['bytes'] : undefined
  say(
    typeof name !== 'string' || !/^[A-Za-z0-9()[\]-]+( [A-Za-z0-9()[\]-]+)*$/.test(name) || name.length > 64,
    `the name ${String(name)}`,
  )
  say(!['pdf', 'doc', 'docx', 'xls', 'xlsx'].includes(String(format)), `a document of the format ${String(format)}`)
  say((String(bytes).length * 3) / 4 > 4_500_002, 'a document over 4.5 MB')
  if (format === 'pdf') sayPdf(bytes, 4_500_000, say)
}

function sayPdf(data: unknown, most: number, say: Say): void {
  const bytes = Buffer.from(String(data), 'base64')
  say(bytes.toString('base64') !== data || bytes.length > most, 'a PDF that is too large, or not base64')
  say(!bytes.toString('latin1').startsWith('%PDF-'), 'a PDF that is none')
}

function items(value: unknown): readonly Item[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return isRecord(value) ? Object.entries(value).flatMap(([key, one]) => [key, ...textsIn(one)]) : []
}

function inOrder(ids: readonly unknown[]): string {
  return ids
    .map(String)
    .toSorted((left, right) => left.localeCompare(right))
    .join()
}
