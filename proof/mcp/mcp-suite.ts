import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Tool } from '../../src/core/ports/tool.ts'
import { mcpToolset } from '../../src/adapters/tools/mcp.ts'
import type { Toolset } from '../../src/index.ts'
import type { SuiteCase } from '../conformance/run-suite.ts'
import { type McpServerFacts, type McpSubject, officialServers, openSubject, type Way } from './mcp-subjects.ts'
import { resultOf, textIn } from './perform-call.ts'

/**
 * What every server is asked over every transport; the one with a tool of every kind is asked more. All cases are played with
 * one server, in their order: starting one costs more than a case. After a case that failed, the next has a new one.
 */
export function mcpSuite(server: McpServerFacts, way: Way): readonly SuiteCase[] {
  const own = server.name === 'everything' ? casesOfEverything : []
  const asked = [...cases, ...own, connectsAgain, closes]
  let opened: Promise<Opened> | undefined
  return asked.map(([name, play], at) => ({
    name,
    run: async () => {
      opened ??= open(server, way)
      const { played, dispose } = await opened
      let isOver = at === asked.length - 1
      try {
        await play(played)
      } catch (error) {
        isOver = true
        throw error
      } finally {
        if (isOver) {
          opened = undefined
          await dispose()
        }
      }
    },
  }))
}

const newWays: readonly Way[] = ['stdio', 'http']
const everyWay: readonly Way[] = [...newWays, 'sse']

/** The official servers over both transports, and one of them over the transport of old. */
export const mcpPairs: readonly (readonly [McpServerFacts, Way])[] = officialServers.flatMap((server) =>
  (server.name === 'everything' ? everyWay : newWays).map((way) => [server, way] as const),
)

interface Played {
  readonly server: McpServerFacts
  readonly subject: McpSubject
  readonly toolset: Toolset
  readonly tools: readonly Tool[]
}

type Case = readonly [name: string, play: (played: Played) => Promise<void>]

interface Opened {
  readonly played: Played
  dispose(): Promise<void>
}

async function open(server: McpServerFacts, way: Way): Promise<Opened> {
  const subject = await openSubject(server, way)
  const toolset = mcpToolset({
    name: server.name,
    prefix: 'p',
    reconnect: { initialDelayMs: 1 },
    onWarning,
    ...subject.options,
  })
  const dispose = async () => {
    await toolset.close()
    await subject.dispose()
  }
  try {
    return { played: { server, subject, toolset, tools: await toolset.tools() }, dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

const cases: readonly Case[] = [
  [
    'lists every tool under its prefix',
    async ({ server, tools }) => {
      const names = tools.map(({ name }) => name)
      for (const name of server.lists) assert.ok(names.includes(`p__${name}`), `${name} is not listed`)
      assert.deepEqual([...new Set(tools.map(({ effects }) => effects))], ['once'])
    },
  ],
  [
    'calls a tool',
    async ({ server, subject, tools }) => {
      const [name, given, expected] = server.call
      const result = await resultOf(tools, `p__${name}`, given(subject.folder))
      assert.equal(result.status, undefined)
      assert.ok(textIn(result).includes(expected), textIn(result))
    },
  ],
  [
    'gives an error of a tool as its result',
    async ({ server, subject, tools }) => {
      const [name, given, expected] = server.mistake
      const result = await resultOf(tools, `p__${name}`, given(subject.folder))
      assert.equal(result.status, 'error')
      assert.match(textIn(result), expected)
    },
  ],
]

const connectsAgain: Case = [
  'connects again after a crash, and says that the list may have changed',
  async ({ server, subject, toolset, tools }) => {
    const [name, given, expected] = server.call
    await resultOf(tools, `p__${name}`, given(subject.folder))
    let changes = 0
    toolset.changed?.(() => changes++)
    await subject.crash()
    const results = [await resultOf(tools, `p__${name}`, given(subject.folder))]
    // The crash may be noticed by the first call, which then tells it, or before.
    if (results[0]?.status === 'error') results.push(await resultOf(tools, `p__${name}`, given(subject.folder)))
    assert.ok(textIn(results.at(-1) ?? { content: [] }).includes(expected), textIn(results.at(-1) ?? { content: [] }))
    assert.ok(changes > 0, 'nobody was told')
  },
]

const closes: Case = [
  'closes without a process left, and stays closed',
  async ({ subject, toolset }) => {
    assert.equal(subject.pids().length, 1)
    await toolset.close()
    await until(() => subject.pids().length === 0)
    await assert.rejects(toolset.tools(), { code: 'closed' })
  },
]

const casesOfEverything: readonly Case[] = [
  [
    'takes a picture',
    async ({ tools }) => {
      const { content } = await resultOf(tools, 'p__get-tiny-image', {})
      const [picture] = content.filter((block) => block.type === 'image')
      assert.equal(picture?.mimeType, 'image/png')
      assert.equal(
        Buffer.from(picture?.data ?? '', 'base64')
          .subarray(1, 4)
          .toString(),
        'PNG',
      )
    },
  ],
  [
    'keeps structured content in the details',
    async ({ tools }) => {
      const { details } = await resultOf(tools, 'p__get-structured-content', { location: 'Chicago' })
      assert.deepEqual(Object.keys(Object(Object(details).structuredContent)), [
        'temperature',
        'conditions',
        'humidity',
      ])
    },
  ],
  [
    'names the resources of a result',
    async ({ tools }) => {
      const links = await resultOf(tools, 'p__get-resource-links', { count: 1 })
      assert.match(textIn(links), /\[Resource demo:\/\/resource\//)
      const text = await resultOf(tools, 'p__get-resource-reference', { resourceType: 'Text', resourceId: 1 })
      assert.match(textIn(text), /\[Resource demo:\/\/resource\/dynamic\/text\/1\]\n/)
    },
  ],
  [
    'tells progress',
    async ({ tools }) => {
      const told: string[] = []
      const progress = (text: string) => void told.push(text)
      await resultOf(tools, 'p__trigger-long-running-operation', { duration: 0.1, steps: 4 }, { progress })
      // The last step comes together with the result, which may overtake it.
      assert.deepEqual(told.slice(0, 3), ['1 of 4', '2 of 4', '3 of 4'])
    },
  ],
  [
    'is cancelled in the middle of a call, and goes on with the next',
    async ({ tools }) => {
      const controller = new AbortController()
      const options = { signal: controller.signal, progress: () => controller.abort(new Error('enough')) }
      const call = resultOf(tools, 'p__trigger-long-running-operation', { duration: 600, steps: 6000 }, options)
      await assert.rejects(call, { message: 'enough' })
      assert.equal(textIn(await resultOf(tools, 'p__echo', { message: 'next' })), 'Echo: next')
    },
  ],
  [
    'tells of a call whose server dies that it may have had its effect',
    async ({ tools, subject }) => {
      const progress = () => void subject.crash()
      const call = resultOf(tools, 'p__trigger-long-running-operation', { duration: 60, steps: 600 }, { progress })
      const result = await call
      assert.equal(result.status, 'error')
      assert.match(
        textIn(result),
        /closed the connection during .* may or may not have had its effect|gave .* no result/,
      )
    },
  ],
]

/** A process that was let go of is gone soon; whoever looks all the time takes its core. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await pause(5)
}

/** A tool that runs as a task only is left out with a warning, which is tested elsewhere. */
function onWarning(): void {}
