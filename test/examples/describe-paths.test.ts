import { describe, test } from 'vitest'
import { yourAgent } from '../../examples/your-agent.ts'
import { describePaths } from '../../src/testing/index.ts'

const samples = { send: [900, 5].map((amount) => ({ to: 'Ada', amount })) }
const agent = { ...yourAgent, samples, turns: [['read'], ['send']] }
await describePaths(agent, { describe: (name, body) => describe(`TST-02 ${name}`, body), test })
