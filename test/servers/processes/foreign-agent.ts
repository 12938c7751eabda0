import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import * as acp from '@agentclientprotocol/sdk'

/**
 * A foreign agent that asks before each of its effects: it writes the words of a prompt into a file, one by one. It may
 * load sessions, die or hang after an effect, ask for files, and write text that is not the protocol's.
 */
const [, , folder = '', ...flags] = process.argv
const file = join(folder, 'effects.txt')
const session = join(folder, 'session.json')
let mode = ''
const has = (flag: string) => flags.includes(flag)
const kept = (): { prompt?: string } =>
  existsSync(session) ? (JSON.parse(readFileSync(session, 'utf8')) as object) : {}

writeFileSync(join(folder, 'pid.txt'), `${process.pid}`)
if (has('noise')) process.stdout.write('Welcome.\n')
if (has('complains')) process.stderr.write(`${'x'.repeat(5_000)} no account for ${process.env['API_TOKEN']}\n`)

acp
  .agent({ name: 'foreign' })
  .onRequest('initialize', () => ({ protocolVersion: 1, agentCapabilities: { loadSession: has('load') } }))
  .onRequest('session/new', () => {
    if (has('login')) throw acp.RequestError.authRequired()
    return { sessionId: `s-${process.pid}` }
  })
  .onRequest('session/set_mode', ({ params }) => {
    mode = params.modeId
    return {}
  })
  .onRequest('session/load', async ({ params: { sessionId }, client }) => {
    const content = { type: 'text' as const, text: kept().prompt ?? '' }
    await client.notify('session/update', { sessionId, update: { sessionUpdate: 'user_message_chunk', content } })
    return {}
  })
  .onRequest('session/prompt', async ({ params: { sessionId, prompt }, client }) => {
    const [first] = prompt
    const said = first?.type === 'text' ? first.text : ''
    const task = said.startsWith('You were interrupted') ? (kept().prompt ?? '') : said
    writeFileSync(session, JSON.stringify({ prompt: task }))
    const say = (text: string) =>
      client.notify('session/update', {
        sessionId,
        update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
      })
    if (has('floods')) for (let piece = 0; piece < 40; piece++) process.stdout.write('x'.repeat(1_000_000))
    if (mode !== '') await say(`In mode ${mode}. `)
    if (has('files')) {
      const read = client.request('fs/read_text_file', { sessionId, path: '/etc/passwd' })
      await say(
        await read.then(
          () => 'Read. ',
          () => 'Refused. ',
        ),
      )
    }
    if (has('serve')) {
      const { content } = await client.request('fs/read_text_file', { sessionId, path: join(folder, 'a.txt'), line: 2 })
      const copied = client.request('fs/write_text_file', { sessionId, path: join(folder, 'b.txt'), content })
      await say(
        await copied.then(
          () => 'Copied. ',
          ({ message }: Error) => `${message} `,
        ),
      )
      const outside = client.request('fs/read_text_file', { sessionId, path: '/etc/passwd' })
      await outside.catch(({ message }: Error) => say(`${message} `))
      const wanted = { command: 'sh', args: ['-c', 'echo "$TWO words"; exit 3'], env: [{ name: 'TWO', value: '2' }] }
      const { terminalId } = await client.request<acp.CreateTerminalResponse>('terminal/create', {
        sessionId,
        cwd: folder,
        ...wanted,
      })
      const { exitCode } = await client.request<acp.WaitForTerminalExitResponse>('terminal/wait_for_exit', {
        sessionId,
        terminalId,
      })
      const { output } = await client.request<acp.TerminalOutputResponse>('terminal/output', { sessionId, terminalId })
      await say(`${output.trim()} ${exitCode} `)
      const cost = { amount: 0.25, currency: 'USD' }
      await client.notify('session/update', {
        sessionId,
        update: { sessionUpdate: 'usage_update', used: 10, size: 100, cost },
      })
    }
    if (has('killed')) {
      const create = (command: string) =>
        client.request<acp.CreateTerminalResponse>('terminal/create', { sessionId, command })
      const ids = await Promise.all([create('kill -9 $$'), create('echo second')])
      for (const { terminalId } of ids) {
        const at = { sessionId, terminalId }
        const end = await client.request<acp.WaitForTerminalExitResponse>('terminal/wait_for_exit', at)
        const { output } = await client.request<acp.TerminalOutputResponse>('terminal/output', at)
        await say(`${output.trim()}: ${end.exitCode} ${end.signal}. `)
      }
    }
    // The places of each word, such as at:alpha=a.txt,b.txt
    const placesOf = (word: string) => {
      const [, places] = flags.find((flag) => flag.startsWith(`at:${word}=`))?.split('=') ?? []
      return places === undefined ? {} : { locations: places.split(',').map((path) => ({ path: join(folder, path) })) }
    }
    for (const word of task.split(' ')) {
      if (existsSync(file) && readFileSync(file, 'utf8').includes(word)) continue
      const { outcome } = await client.request<acp.RequestPermissionResponse>('session/request_permission', {
        sessionId,
        toolCall: {
          toolCallId: word,
          kind: 'execute',
          title: word,
          rawInput: { command: has('words') ? ['write', word] : `write ${word}` },
          ...placesOf(word),
        },
        options: [
          { optionId: 'always', name: 'Always', kind: 'allow_always' },
          { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
          { optionId: 'no', name: 'No', kind: 'reject_once' },
        ],
      })
      if (outcome.outcome === 'selected' && outcome.optionId === 'yes') {
        appendFileSync(file, `${word}\n`)
        await say(`Wrote ${word}. `)
        if (has('pays')) {
          const cost = { amount: 0.25, currency: 'USD' }
          await client.notify('session/update', {
            sessionId,
            update: { sessionUpdate: 'usage_update', used: 10, size: 100, cost },
          })
        }
        if (has('die')) process.exit(7)
        if (has('hang')) await new Promise(() => undefined)
      } else if (has('ignores')) {
        appendFileSync(file, `${word}\n`)
      } else {
        await say(`Left out ${word}. `)
      }
    }
    return { stopReason: 'end_turn' }
  })
  .connect(
    acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>),
  )
