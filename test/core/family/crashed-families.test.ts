import { expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import type { CrashScenario } from '../../../src/testing/crash/crash-scenario.ts'
import { walkCrashes } from '../../../src/testing/crash/walk-crashes.ts'

/** A family of three levels. Its lowest member pays, after somebody has agreed. */
function family(needs: 'approval' | undefined, depth: number): CrashScenario {
  return {
    name: `a family of ${depth} levels${needs === undefined ? '' : ' that asks'}`,
    build: (environment) => {
      const pay = tool({
        name: 'pay',
        description: 'Pays.',
        input: z.object({ to: z.string() }),
        ...(needs === undefined ? {} : { needs }),
        execute: ({ to }, context) => environment.perform(context, `Paid ${to}`),
      })
      const called = (name: string) =>
        scripted([{ toolCalls: [{ id: name, name, arguments: { prompt: 'Pay.' } }] }, 'Done.'])
      const paying = scripted([{ toolCalls: [{ id: 'p', name: 'pay', arguments: { to: 'Ada' } }] }, 'Paid.'])
      let member = createAgent({ name: 'level', model: paying, tools: [pay] })
      for (let level = depth - 1; level > 1; level--)
        member = createAgent({
          name: 'level',
          model: called('level'),
          tools: [member.asTool({ description: 'Pays.' })],
        })
      return { name: 'top', model: called('level'), tools: [member.asTool({ description: 'Pays.' })] }
    },
    play: (run) => run.approve(),
  }
}

test.each([[family(undefined, 2)], [family('approval', 2)], [family('approval', 3)]])(
  'AGT-05 TST-03 $name ends alike, and its member acts once, when killed before and after each write',
  async (scenario) => {
    const report = await walkCrashes(scenario, {
      storage: (clock) => {
        const store = memoryStore({ clock })
        return { reopen: async () => store, dispose: () => store.close() }
      },
    })
    expect(
      report.findings.map(({ kind, message, crashes }) => `${kind} ${JSON.stringify(crashes)}: ${message}`),
    ).toEqual([])
    expect(report.points).toBeGreaterThan(20)
  },
)
