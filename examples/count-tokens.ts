import assert from 'node:assert/strict'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { type AgentEvent, createAgent } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'

/** Treats text that looks like a special token as plain text; without this option the tokenizer throws. */
const asText = { disallowedSpecial: new Set<string>() }
const pieces: string[] = []
const counted = {
  budget: 20_000,
  countTokens: (text: string) => {
    pieces.push(text)
    return countTokens(text, asText)
  },
}

/** Returns the events about a run's prompts: compactions, and parts that failed. */
async function toldOf(compaction: { readonly budget: number }, prompt: string): Promise<readonly AgentEvent[]> {
  const told: AgentEvent[] = []
  const agent = createAgent({ name: 'guide', model: scripted(['Read.', 'Read again.']), compaction })
  agent.on((event) => {
    if (event.type === 'context.compacted' || event.type === 'context.partFailed') told.push(event)
  })
  const first = agent.start(prompt)
  await first.settled()
  const next = await first.prompt('And now?')
  await next.settled()
  return told
}

const letters = 'a'.repeat(100_000)
const prompt = `${letters}<|endoftext|>`

const byEstimate = await toldOf({ budget: counted.budget }, prompt)
assert.ok(byEstimate.some((event) => event.type === 'context.compacted' && event.tokensBefore > 25_000))

// The 13,000 tokens fit the budget. Counting all letters in one piece would take many seconds.
assert.deepEqual(await toldOf(counted, prompt), [])
const longest = Math.max(...pieces.map(({ length }) => length))
const ofPrompt = pieces.filter((piece) => piece.startsWith('aaaa'))
assert.equal(longest, 2_000)
// Each of the two runs counts the long message once: 50 pieces of letters, and the rest.
assert.equal(ofPrompt.length, 2 * 50)
const tokens = ofPrompt.slice(0, 50).reduce((sum, piece) => sum + countTokens(piece), 0)
console.log(`100,000 letters: ${tokens} tokens in ${ofPrompt.length} pieces of at most ${longest} characters`)
