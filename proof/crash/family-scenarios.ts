import { z } from 'zod'
import { createAgent, tool } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import type { CrashScenario } from '../../src/testing/crash/crash-scenario.ts'

/** A family. Its lowest member pays, after somebody has agreed. */
function family(
  needs: 'approval' | undefined,
  depth: number,
  play: CrashScenario['play'] = (run) => run.approve(),
): CrashScenario {
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
    play,
  }
}

/** Runs that have others work for them. */
export const withFamilies: readonly CrashScenario[] = [
  family(undefined, 2),
  family('approval', 2),
  family('approval', 3),
  { ...family('approval', 3, (run) => run.cancel()), name: 'a family of 3 levels that is cancelled' },
]
