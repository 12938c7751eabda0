import { call, calls } from '../../proof/support/say.ts'
import { testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import { toolbox } from '../../proof/support/tools.ts'

/** An agent whose every run asks for the same calls, one a turn, and tools that write down what they do. */
export function acting(
  given: readonly object[],
  options: TestAgentOptions = {},
  extras = { needs: 'approval' as const },
) {
  const { act, done } = toolbox()
  const replies = [...given.map((args, index) => calls(call(`c${index}`, 'act', { ...args }))), 'Done.']
  return { ...testAgent({ replies, tools: [act('act', extras)], ...options }), done }
}
