import assert from 'node:assert/strict'
import type { AgentSource } from '../paths/agent-under-test.ts'
import { checkRunner } from '../paths/check-source.ts'
import type { TestRunner } from '../paths/test-runner.ts'
import { playWithStops } from './play-recording.ts'
import type { Recording } from './recording.ts'

/**
 * Defines a test that plays a recorded run with an agent: its own plugins, rules and `needs`, the recorded answers as
 * the model, and the recorded results as the tools. The run is played once, and then stopped before and after each of
 * its writes. Each time it must end as recorded, and no `once` tool may act twice. Throws a `UsageError` `bad_option`
 * without a test runner.
 *
 * @example
 * testRecording({ name: 'clerk', tools: [send] }, recording, { describe, test })
 */
export function testRecording(source: AgentSource, recording: Recording, runner: TestRunner): void {
  checkRunner(runner)
  runner.describe(`recorded: ${recording.prompt}`, () => {
    runner.test('ends as recorded, also when stopped at each write', async () => {
      const problems = await playWithStops(source, recording)
      assert.ok(problems.length === 0, problems.join('\n'))
    })
  })
}
