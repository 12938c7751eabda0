import { expect, test } from 'vitest'
import { askManager } from '../../../src/core/effects/permissions/ask-manager.ts'
import { effectHandlers, loadedHandler } from '../../../src/core/effects/effect-handlers.ts'
import { gateReplay } from '../../../src/core/effects/permissions/gate-replay.ts'
import { askPhase } from '../../../src/core/effects/plugins/ask.ts'
import { RunMemories } from '../../../src/core/effects/model/run-memory.ts'
import { summarise } from '../../../src/core/effects/model/summarise.ts'
import type { AgentParts } from '../../../src/core/effects/agent-parts.ts'
import type { EffectContext, EffectHandler } from '../../../src/core/ports/effect-handler.ts'

const parts = { plugins: [], models: [], permissions: undefined } as unknown as AgentParts

test.each<readonly [string, EffectHandler<never, unknown>]>([
  ['summarise', summarise(parts, new RunMemories())],
  ['gateReplay', gateReplay(parts)],
  ['ask', askPhase(parts)],
  ['askManager', askManager(parts)],
])('RUN-06 a handler that is not loaded yet has the same properties as %s', (name, loaded) => {
  const standing: Readonly<Record<string, EffectHandler<never, unknown>>> = effectHandlers(parts)
  const { perform: _, ...of } = loaded
  const { perform: __, ...found } = standing[name] ?? loaded
  expect(found).toEqual(of)
  expect(standing[name]).not.toBe(loaded)
})

test('RUN-07 loads a handler once, and skips an effect that was cancelled while its handler loaded', async () => {
  const arrived = Promise.withResolvers<EffectHandler<string, string>>()
  const performed: string[] = []
  let loads = 0
  const handler = loadedHandler<string, string>({ kind: 'local' }, () => {
    loads++
    return arrived.promise
  })
  const leaving = new AbortController()
  const withdrawn = handler.perform('first', { signal: leaving.signal } as EffectContext)
  leaving.abort(new Error('no longer wanted'))
  arrived.resolve({
    kind: 'local',
    perform: async (input) => {
      performed.push(input)
      return { output: input }
    },
  })
  await expect(withdrawn).rejects.toThrow('no longer wanted')
  const { signal } = new AbortController()
  expect(await handler.perform('second', { signal } as EffectContext)).toEqual({ output: 'second' })
  expect({ performed, loads }).toEqual({ performed: ['second'], loads: 1 })
})

test('RUN-06 fails an effect whose handler cannot be loaded, and tries to load it again next time', async () => {
  const { signal } = new AbortController()
  let loads = 0
  const handler = loadedHandler<string, string>({ kind: 'local' }, async () => {
    if (++loads === 1) throw new Error('The file is not there.')
    return { kind: 'local', perform: async (input) => ({ output: input }) }
  })
  await expect(handler.perform('first', { signal } as EffectContext)).rejects.toThrow('The file is not there.')
  expect(await handler.perform('second', { signal } as EffectContext)).toEqual({ output: 'second' })
})
