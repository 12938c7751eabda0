import { z } from 'zod'
import { createAgent, tool } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import type { CrashEnvironment } from '../../src/testing/crash/crash-environment.ts'
import type { CrashScenario } from '../../src/testing/crash/crash-scenario.ts'

/** A tool that pays on the outside. */
function payTool(environment: CrashEnvironment, needs?: 'approval') {
  return tool({
    name: 'pay',
    description: 'Pays.',
    input: z.object({ to: z.string() }),
    ...(needs === undefined ? {} : { needs }),
    execute: ({ to }, context) => environment.perform(context, `Paid ${to}`),
  })
}

/** A family. Its lowest member pays, after somebody has agreed. */
function family(
  needs: 'approval' | undefined,
  depth: number,
  play: CrashScenario['play'] = (run) => run.approve(),
): CrashScenario {
  return {
    name: `a family of ${depth} levels${needs === undefined ? '' : ' that asks'}`,
    build: (environment) => {
      const pay = payTool(environment, needs)
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

/** A run that goes on beside its sub-agent, which pays after somebody has agreed. */
const continued: CrashScenario = {
  name: 'a run that goes on beside its sub-agent',
  build: (environment) => {
    const pay = payTool(environment, 'approval')
    const model = scripted([{ toolCalls: [{ id: 'p', name: 'pay', arguments: { to: 'Ada' } }] }, 'Paid.'])
    const level = createAgent({ name: 'level', model, tools: [pay] })
    const rest = tool({ name: 'rest', description: 'Rests.', input: {}, effects: 'none', execute: () => 'Rested.' })
    const toolCalls = ['level', 'rest'].map((name) => ({ id: name, name, arguments: { prompt: 'Pay.' } }))
    return {
      name: 'top',
      model: scripted([{ toolCalls }, 'I wait.', 'Done.']),
      tools: [level.asTool({ description: 'Pays.', continue: true }), rest],
    }
  },
  play: (run) => run.approve(),
}

/** A conversation that is handed over. The next agent pays, after somebody has agreed. */
const handedOver: CrashScenario = {
  name: 'a conversation that is handed over',
  build: (environment) => {
    const pay = payTool(environment)
    const model = scripted([
      { toolCalls: [{ id: 'h', name: 'cashier', arguments: {} }] },
      { toolCalls: [{ id: 'p', name: 'pay', arguments: { to: 'Ada' } }] },
      'Paid.',
    ])
    const cashier = createAgent({ name: 'cashier', model, tools: [pay] })
    return { name: 'top', model, tools: [cashier.asHandover({ when: 'Something is to be paid.' })] }
  },
}

/** A sub-agent that hands its conversation over. The next agent pays, after somebody has agreed. */
function handedBelow(play: NonNullable<CrashScenario['play']>, name: string): CrashScenario {
  return {
    name,
    build: (environment) => {
      const model = scripted([
        { toolCalls: [{ id: 'h', name: 'cashier', arguments: {} }] },
        { toolCalls: [{ id: 'p', name: 'pay', arguments: { to: 'Ada' } }] },
        'Paid.',
      ])
      const cashier = createAgent({ name: 'cashier', model, tools: [payTool(environment, 'approval')] })
      const tools = [cashier.asHandover({ when: 'Something is to be paid.' })]
      const level = createAgent({ name: 'level', model, tools })
      const calling = { toolCalls: [{ id: 'level', name: 'level', arguments: { prompt: 'Pay.' } }] }
      return { name: 'top', model: scripted([calling, 'Done.']), tools: [level.asTool({ description: 'Pays.' })] }
    },
    play,
  }
}

/** A family whose two members wait for their account at once, until somebody adds to it. */
const asking: CrashScenario = {
  name: 'a family whose account asks for more',
  build: (environment) => {
    const pay = payTool(environment)
    const usage = { totalTokens: 100 }
    const members = ['ann', 'bob'].map((name) => {
      const call = { id: name, name: 'pay', arguments: { to: name } }
      const model = scripted(
        [
          { toolCalls: [call], usage },
          { text: 'Paid.', usage },
        ],
        { maxTokens: 100 },
      )
      return createAgent({ name, model, tools: [pay] }).asTool({ description: 'Pays.' })
    })
    const toolCalls = members.map(({ name }) => ({ id: name, name, arguments: { prompt: 'Pay.' } }))
    return {
      name: 'top',
      model: scripted(
        [
          { toolCalls, usage },
          { text: 'Done.', usage },
        ],
        { maxTokens: 100 },
      ),
      tools: members,
      limits: { maxTokens: 150 },
      onLimit: 'ask',
    }
  },
  play: (run) => run.respond(undefined, 100_000),
}

/** Runs that have others work for them. */
export const withFamilies: readonly CrashScenario[] = [
  family(undefined, 2),
  family('approval', 2),
  family('approval', 3),
  continued,
  asking,
  handedOver,
  handedBelow((run) => run.approve(), 'a sub-agent that hands its conversation over'),
  handedBelow((run) => run.cancel(), 'a sub-agent that hands its conversation over and is cancelled'),
  { ...family('approval', 3, (run) => run.cancel()), name: 'a family of 3 levels that is cancelled' },
]
