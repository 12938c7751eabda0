import assert from 'node:assert/strict'
import { createAgent, textOf } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'
import { exampleModel } from './model.ts'

// With sqliteStore('chat.db') as `store`, the chat survives restarts and is available to other processes.
const { model, isScripted } = exampleModel(scripted(['Hello, Ada.', 'Your name is Ada.']))
const agent = createAgent({ name: 'guide', model })
const chat = agent.session('ada')

for (const line of ['I am Ada.', 'What is my name?']) {
  const run = await chat.prompt(line)
  const { text } = await run.settled()
  console.log(`${line} ${text}`)
}

const told = (await chat.messages()).map(textOf)
assert.equal(told.length, 4)
if (isScripted) assert.deepEqual(told.at(-1), 'Your name is Ada.')
