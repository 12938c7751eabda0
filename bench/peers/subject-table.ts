/** One framework of the comparison. */
export interface Entry {
  /** Its file in `subjects`. */
  readonly name: string
  /** Packages whose versions are told; the first is what an application imports. */
  readonly packages: readonly string[]
  /** What it does not play, and why. */
  readonly absent?: string
}

/** Everyone who is measured, in the order in which they take turns. */
export const entries: readonly Entry[] = [
  { name: 'floor', packages: [] },
  { name: 'statewright', packages: ['statewright', 'xstate'] },
  {
    name: 'ai-sdk',
    packages: ['ai'],
    absent: 'It keeps nothing: for `durable` and `resume` its messages are kept by hand, in the bare store.',
  },
  {
    name: 'pi',
    packages: ['@earendil-works/pi-agent-core', '@earendil-works/pi-ai'],
    absent:
      'No `durable` and no `resume`: it keeps no run and suspends no call. Later versions could not be installed.',
  },
  {
    name: 'openai-agents',
    packages: ['@openai/agents'],
    absent:
      'No `durable`: it keeps no run from step to step. For `resume` its state, which it turns into text, is kept by hand in the bare store.',
  },
  {
    name: 'langgraph',
    packages: ['@langchain/langgraph', '@langchain/core'],
    absent:
      'No `durable`: its saver for SQLite wants a package that is compiled when it is installed, which is not done here. `resume` is in memory, without a file.',
  },
  {
    name: 'mastra',
    packages: ['@mastra/core', '@mastra/libsql'],
    absent: 'No `durable`: it keeps a run where it is suspended, not from step to step.',
  },
]
