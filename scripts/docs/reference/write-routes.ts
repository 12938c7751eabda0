import { agUiRoutes } from '../../../src/servers/ag-ui/answer-input.ts'
import { chatRoutes } from '../../../src/servers/ai-sdk/answer-chat.ts'
import { routes } from '../../../src/servers/http/routes.ts'
import { ownRoutes } from '../../../src/servers/studio/own-routes.ts'
import { writeReference, writeTable } from './write-table.ts'

/** The parts, the effect and the answer of a request to a route. */
type RouteText = readonly [request: string, effect: string, answer: string]

const handlers: Readonly<Record<string, RouteText>> = {
  'POST /runs': [
    '`{ prompt, runId?, subject?, labels? }`',
    'starts a run; with a `runId` that the client made, at most once',
    '`{ runId, status }`, 201, or 200 for a run that was there',
  ],
  'GET /runs': [
    '`?status=` `running`, `waiting` or `done`, `?session=`, `?subject=`, `?limit=` (50, at most 500), `?before=` the `cursor` of the last run of a page',
    'lists runs',
    '`{ runs }`, the newest first',
  ],
  'GET /suspended': ['`?limit=`, `?before=`', 'lists waiting runs', '`{ runs }`, each with its suspended calls'],
  'GET /suspended/events': [
    '',
    'signals changes of that list',
    'Server-Sent Events, `data: {}` at once and whenever the list may have changed',
  ],
  'GET /runs/:run': ['', 'reads a run', 'the result, as `run.result()`'],
  'GET /runs/:run/events': [
    '`?after=` a number or the header `Last-Event-ID`; `?deltas=0` without work under way, `?wait=0` ends behind the last stored event',
    'follows a run',
    'Server-Sent Events: `id` is `seq`, `data` the [event](events.md)',
  ],
  'GET /runs/:run/history': ['', 'reads the checkpoints of a run', '`{ checkpoints }`'],
  'POST /runs/:run/decisions': [
    '`{ decisions }`, each with `target` and `action`',
    'stores decisions as `run.decide` does; the run goes on',
    '`{ receipts, drive }`',
  ],
  'POST /runs/:run/cancel': ['`{ reason? }`', 'ends the run', '`{ receipt, drive }`'],
  'POST /runs/:run/calls/:call/cancel': ['`{ reason? }`', 'ends one call', '`{ receipt, drive }`'],
  'POST /runs/:run/steer': ['`{ prompt }`', 'sends a message before the next turn', '`{ receipt, drive }`'],
  'POST /runs/:run/follow-up': ['`{ prompt }`', 'sends a message for the end of the run', '`{ receipt, drive }`'],
  'POST /runs/:run/prompt': ['`{ prompt, runId? }`', 'goes on from a run that is done', '`{ runId, status }`, 201'],
  'POST /runs/:run/resume': ['', 'drives the run if nobody does', '`{ drive }`'],
  'POST /runs/:run/fork': [
    '`{ from, runId? }`, `from` a version',
    'begins a run at a checkpoint',
    '`{ runId, drive }`, 201',
  ],
}

const chat: Readonly<Record<string, RouteText>> = {
  'POST /': [
    'what `useChat` sends',
    'sends the last message, answers waiting calls, or asks for the answer again',
    'UI message stream v1',
  ],
  'GET /:session/stream': ['', 'reads on a run that is under way', 'UI message stream v1, or 204 without one'],
  'GET /:session/messages': ['', 'reads the conversation', 'a list of UI messages'],
  'POST /:session/stop': ['', 'ends the run', '`{ receipt }`'],
}

const agUi: Readonly<Record<string, RouteText>> = {
  'POST /': ['a `RunAgentInput`', 'sends the last message, or answers interrupts by `resume`', 'AG-UI events'],
  'POST /:session/stop': ['', 'ends the run', '`{ receipt }`'],
}

const studio: Readonly<Record<string, RouteText>> = {
  'GET /api/studio': ['', 'describes the studio', '`{ agents, charts, hasTested }`'],
  'GET /api/charts': ['`?inside=` a state', 'draws the chart of a run', 'the drawn chart'],
  'GET /api/charts/:chart': ['`?inside=` a state', 'draws a chart', 'the drawn chart'],
  'GET /api/coverage/:chart': [
    '`?inside=` a state',
    'counts what the 200 newest runs walk of a chart, with option `tested`',
    '`{ runs, left, counts, lines }`',
  ],
  'GET /api/runs': [
    '`?status=`, `?session=`, `?subject=`, `?text=`, `?tool=`, `?until=`, `?members=1`, `?before=`',
    'lists runs of all agents',
    '`{ runs, next }`',
  ],
  'POST /api/runs': [
    '`?agent=`, `?session=` (empty for a new one), `{ prompt }`',
    'starts a run, or goes on with a session',
    '201, `{ runId, status }`',
  ],
  'GET /api/suspended': ['', 'lists the questions of the 100 newest waiting runs', '`{ runs, hasMore }`'],
  'GET /api/store': [
    '',
    'reads costs, grants, workers and postponed runs',
    '`{ runs, costs, grants, workers, postponed }`',
  ],
  'POST /api/grants/:grant/revoke': ['', 'revokes a grant', '`{ isRevoked }`'],
  'POST /api/postponed/:run/retry': ['', 'lets workers take a postponed run', '`{ isRetried }`'],
  'GET /api/runs/:run/summary': ['`?known=` a version', 'reads a run without its messages', 'the summary'],
  'GET /api/runs/:run/family': ['', 'reads a run with its sub-agents', 'the family from the root down, or null'],
  'GET /api/runs/:run/answers': [
    '`?call=` and `?input=`, the arguments of an edit',
    'says what each answer to a waiting run leads to',
    '`{ calls }`, as `previewAnswers` gives them',
  ],
  'GET /api/runs/:run/way': ['`?versions=`, at most 25', 'reads the states at checkpoints', '`{ passed }`'],
  'GET /api/runs/:run/at/:version': ['', 'reads a run at a checkpoint', 'the state'],
  'GET /api/runs/:run/tools/:tool': ['', 'describes a tool', 'its name, description and schemas'],
}

/** Returns the page of all routes. Throws if a route has no text, or a text has no route. */
export function writeRoutes(): string {
  const paths = (list: readonly { method: string; path: string }[]) =>
    list.map(({ method, path }) => `${method} ${path || '/'}`)
  return writeReference(
    'Routes',
    'Paths are relative to `basePath`. Bodies are JSON, and so are answers, except streams. Errors are `{ code, message }`, see [errors](errors.md#answers-of-servers). Who may ask is decided by `authorize`, see [a web server](../guides/web-server.md). `drive` says who drives the run: this process, another one, or nobody.',
    [
      section('createHandlers', 'Runs over HTTP, of `statewright/server`.', paths(routes), handlers),
      section('createChatHandlers', 'The AI SDK, of `statewright/protocols/ai-sdk`.', paths(chatRoutes), chat),
      section('createAgUiHandlers', 'AG-UI, of `statewright/protocols/ag-ui`.', paths(agUiRoutes), agUi),
      section(
        'studio',
        'The page of `statewright studio`. Its other routes under `/api/runs/:run` are those of `createHandlers`.',
        ownRoutes,
        studio,
      ),
      [
        '## Protocols with one path',
        writeTable(
          ['Server', 'Path', 'Guide'],
          [
            [
              '`createA2aHandlers`',
              '`POST /` for JSON-RPC, `GET /.well-known/agent-card.json`',
              '[A2A](../guides/a2a.md)',
            ],
            ['`serveMcp` over HTTP', '`/mcp`', '[MCP](../guides/mcp.md)'],
          ],
        ),
      ].join('\n\n'),
    ],
  )
}

function section(
  title: string,
  intro: string,
  paths: readonly string[],
  texts: Readonly<Record<string, RouteText>>,
): string {
  const missing = paths.filter((path) => texts[path] === undefined)
  const stale = Object.keys(texts).filter((path) => !paths.includes(path))
  if (missing.length + stale.length > 0) {
    throw new Error(`Routes of ${title}: ${missing.join(', ')} without a text, ${stale.join(', ')} without a route.`)
  }
  const rows = paths.map((path) => [`\`${path}\``, ...(texts[path] ?? [])])
  return `## ${title}\n\n${intro}\n\n${writeTable(['Request', 'Has', 'Does', 'Answers'], rows)}`
}
