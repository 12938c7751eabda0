import assert from 'node:assert/strict'
import { isToolName } from '../../core/domain/tool-name.ts'
import { type Json, toPlainJson } from '../../core/domain/text/json.ts'
import { Suspended, type Tool } from '../../core/ports/tool.ts'
import type { Toolset } from '../../core/ports/toolset.ts'
import { isErrorResult, performTool } from './perform-tool.ts'
import { watched } from '../watchdog.ts'

/** A working toolset, with the resources that its suite needs. */
export interface ToolsetUnderTest {
  /** Not opened yet. */
  readonly toolset: Toolset
  /** A call that succeeds. */
  readonly sample: { readonly name: string; readonly input: Json }
  /** Another one of this kind, without a server. */
  unreachable(): Toolset
  /** Changes the offered tools of a set that can notify. If given, the suite expects a notification by `changed`. */
  change?(): Promise<void>
  /** Removes everything that it uses; the suite has closed the set. */
  dispose(): Promise<void>
}

type ToolsetCase = readonly [name: string, run: (under: ToolsetUnderTest) => Promise<void>]

/** Returns the cases that every toolset must pass, for any test runner. `open` returns a new toolset for each case. */
export function toolsetSuite(
  open: () => Promise<ToolsetUnderTest>,
): readonly { readonly name: string; readonly run: () => Promise<void> }[] {
  return cases.map(([name, run]) => ({
    name,
    run: () =>
      watched(name, async () => {
        const under = await open()
        try {
          await run(under)
        } finally {
          await under.toolset.close()
          await under.dispose()
        }
      }),
  }))
}

const cases: readonly ToolsetCase[] = [
  [
    'gives tools a model can be told of, each under a name of its own',
    async ({ toolset }) => {
      const tools = await toolset.tools()
      assert.notEqual(tools.length, 0)
      assert.equal(new Set(tools.map(({ name }) => name)).size, tools.length)
      for (const { name, description, input } of tools) {
        assert.ok(isToolName(name), `The name "${name}" is not legal.`)
        assert.equal(typeof description, 'string')
        assert.equal(schemaOf(input)['type'], 'object', `The arguments of "${name}" are not an object.`)
        assert.notEqual(toPlainJson(schemaOf(input)), undefined, `The schema of "${name}" is no plain JSON.`)
      }
    },
  ],
  [
    'gives the same tools to whoever asks again or at the same time',
    async ({ toolset }) => {
      const [first, second] = await Promise.all([toolset.tools(), toolset.tools()])
      assert.deepEqual(namesOf(second), namesOf(first))
      assert.deepEqual(namesOf(await toolset.tools()), namesOf(first))
    },
  ],
  [
    'performs a call',
    async (under) => {
      const returned = await performTool(await sampleTool(under), under.sample.input)
      assert.ok(!(returned instanceof Suspended) && !isErrorResult(returned), `The call failed: ${told(returned)}`)
      assert.ok(returned === undefined || toPlainJson(returned) !== undefined, 'The result is no plain JSON.')
    },
  ],
  [
    'performs calls side by side',
    async (under) => {
      const tool = await sampleTool(under)
      const all = await Promise.all([1, 2, 3, 4, 5].map(() => performTool(tool, under.sample.input)))
      for (const returned of all) assert.ok(!isErrorResult(returned), `A call failed: ${told(returned)}`)
    },
  ],
  [
    'ends a call whose signal has fired, and not as a success',
    async (under) => {
      const tool = await sampleTool(under)
      assert.equal(await succeeds(performTool(tool, under.sample.input, AbortSignal.abort())), false)
    },
  ],
  [
    'says why there are no tools where nothing is behind it, and can be asked again',
    async ({ unreachable }) => {
      const toolset = unreachable()
      for (const _attempt of [1, 2]) {
        const reason = await rejection(toolset.tools())
        assert.ok(reason instanceof Error && reason.message.length > 10, `It said only: ${String(reason)}`)
      }
      await toolset.close()
    },
  ],
  [
    'gives up opening when the signal fires',
    async ({ toolset }) => {
      await rejection(toolset.tools({ signal: AbortSignal.abort(new Error('Enough.')) }))
      assert.notEqual((await toolset.tools()).length, 0)
    },
  ],
  [
    'can be closed before it was opened, at once while it opens, and again',
    async ({ toolset }) => {
      const opening = toolset.tools().catch(() => [])
      await Promise.all([toolset.close(), toolset.close()])
      await opening
      await toolset.close()
    },
  ],
  [
    'gives nothing after it was closed',
    async (under) => {
      const { toolset, sample } = under
      const tool = await sampleTool(under)
      await toolset.close()
      await rejection(toolset.tools())
      assert.equal(await succeeds(performTool(tool, sample.input)), false)
    },
  ],
  [
    'tells whoever listens that it has changed, until they stop listening',
    async ({ toolset, change }) => {
      const stop = toolset.changed?.(() => {})
      stop?.()
      stop?.()
      if (change === undefined) return
      const before = namesOf(await toolset.tools())
      const { promise: isTold, resolve: tell } = Promise.withResolvers<void>()
      let isHeardAfterwards = false
      const unheard = toolset.changed?.(() => void (isHeardAfterwards = true))
      unheard?.()
      const stopTelling = toolset.changed?.(tell)
      await change()
      await isTold
      stopTelling?.()
      assert.notDeepEqual(namesOf(await toolset.tools()), before)
      assert.equal(isHeardAfterwards, false)
    },
  ],
]

function schemaOf(input: Tool['input']): { readonly [key: string]: unknown } {
  if (!('~standard' in input)) return input
  const { jsonSchema } = input['~standard'] as { jsonSchema?: { input(options: object): Record<string, unknown> } }
  return jsonSchema?.input({ target: 'draft-2020-12' }) ?? {}
}

function namesOf(tools: readonly Tool[]): readonly string[] {
  return tools.map(({ name }) => name)
}

async function sampleTool({ toolset, sample }: ToolsetUnderTest): Promise<Tool> {
  const tools = await toolset.tools()
  const tool = tools.find(({ name }) => name === sample.name)
  assert.ok(tool !== undefined, `There is no tool "${sample.name}". There are: ${namesOf(tools).join(', ')}.`)
  return tool
}

async function succeeds(call: Promise<unknown>): Promise<boolean> {
  try {
    return !isErrorResult((await call) as never)
  } catch {
    return false
  }
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (reason) {
    return reason
  }
  assert.fail('It did not reject.')
}

function told(returned: unknown): string {
  return JSON.stringify(returned)?.slice(0, 300) ?? 'nothing'
}
