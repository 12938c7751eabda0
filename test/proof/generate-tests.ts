import { type AgentSource, describePaths } from '../../src/testing/index.ts'

interface GeneratedTest {
  readonly name: string
  readonly body: () => Promise<void>
}

/** Generates tests and runs them here: which there are, and what those that fail say. */
export async function generate(source: AgentSource) {
  const groups: string[] = []
  const tests: GeneratedTest[] = []
  const within: string[] = []
  await describePaths(source, {
    describe: (name, body) => {
      groups.push(name)
      within.push(name)
      body()
      within.pop()
    },
    test: (name, body) => void tests.push({ name: [...within.slice(1), name].join(' > '), body }),
  })
  return { groups, tests }
}

/** The failures of tests generated for an agent; see `failuresIn`. */
export async function failuresOf(source: AgentSource, among = '', without = '?'): Promise<readonly string[]> {
  return failuresIn((await generate(source)).tests, among, without)
}

/** The failures of generated tests whose names begin with `among` and do not contain `without`. */
export async function failuresIn(
  tests: readonly GeneratedTest[],
  among = '',
  without = '?',
): Promise<readonly string[]> {
  const failures: string[] = []
  for (const { name, body } of tests) {
    if (!name.startsWith(among) || name.includes(without)) continue
    try {
      await body()
    } catch (error) {
      failures.push(`${name}\n${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return failures
}
