import { fork } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { type AgentEvent, createAgent, type Store } from '../../../src/index.ts'
import { readLiveAnswer } from '../../../src/ports.ts'
import { openStore } from '../../../proof/support/store-place.ts'
import { hasPostgres, postgresServer } from '../../../proof/support/postgres-server.ts'
import { freshSchema, runSql } from '../../../proof/support/postgres-subject.ts'
import { toResponse } from '../../../src/servers/http/server-sent-events.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { temporaryFolder } from '../../adapters/stores/temporary-folder.ts'

async function onPostgres(): Promise<string> {
  const { url } = await postgresServer()
  const schema = freshSchema()
  onTestFinished(async () => void (await runSql(url, `DROP SCHEMA IF EXISTS ${schema} CASCADE`)))
  return `${url}#${schema}`
}

async function onSqlite(): Promise<string> {
  const folder = temporaryFolder()
  onTestFinished(() => folder[Symbol.dispose]())
  return folder.file('runs.db')
}

const places = [['SQLite', onSqlite] as const, ...(hasPostgres ? [['Postgres', onPostgres] as const] : [])]

test.for(places)(
  'EVT-04 SCALE-01 a page shows the text of a run that a worker process drives (%s)',
  async ([, place]) => {
    const address = await place()
    const store = openStore(address)
    onTestFinished(() => store.close())
    const marked = Promise.withResolvers<void>()
    const watched: Store = {
      ...store,
      change: async (change) => {
        const answer = await store.change(change)
        marked.resolve()
        return answer
      },
    }
    const agent = createAgent({ name: 'told', model: scripted('Not here.'), store: watched })
    const runId = 'told'
    await agent.start('Hi', { runId, drive: false }).result()
    const run = await agent.load(runId)
    const worker = fork(new URL('processes/answer-in-pieces.ts', import.meta.url), [address], { execArgv: [] })
    onTestFinished(async () => {
      worker.disconnect()
      await once(worker, 'exit')
    })
    await once(worker, 'message')
    const response = await toResponse(run, { deltas: true, named: false })
    const seen: string[] = []
    const pieces = ['Hello', ', world', '']
    // The store keeps nothing of an answer that nobody reads.
    const begun = marked.promise.then(() => worker.send(pieces[0] ?? ''))
    for await (const event of eventsIn(response)) {
      if (event.type === 'message.updated' && event.delta.type === 'text') {
        seen.push(event.delta.delta)
        worker.send(pieces[seen.length] ?? '')
      }
      if (event.type === 'run.ended') break
    }
    await begun
    expect(seen).toEqual(['Hello', ', world'])
    expect(await readLiveAnswer(store, runId)).toBeUndefined()
  },
)

async function* eventsIn(response: Response): AsyncGenerator<AgentEvent> {
  const text = response.body?.pipeThrough(new TextDecoderStream())
  let rest = ''
  for await (const chunk of text ?? []) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('data: ')) yield JSON.parse(line.slice(6))
  }
}
