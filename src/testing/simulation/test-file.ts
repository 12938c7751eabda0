/** The reported parts of a failure. */
interface Failure {
  readonly seed: number
  readonly invariant: string
  readonly story: readonly string[]
  readonly choices: readonly number[]
}

/** Writes a failure as a test file, which fails as long as the rule is broken. `source` exports the agents. */
export function testFileOf({ seed, invariant, story, choices }: Failure, source: string): string {
  return `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simulate } from 'statewright/testing'
import { agents, options } from ${JSON.stringify(source)}

${story.map((line) => `// ${line}`).join('\n')}
test(${JSON.stringify(`keeps the rule "${invariant}"`)}, async () => {
  const { found } = await simulate(agents, { ...options, runs: 1, seed: ${seed}, choices: ${JSON.stringify(choices)} })
  assert.deepEqual(found.map(({ story }) => story), [])
})
`
}
